// Runs in a page: draws convex polygons of a planar recording by the ways that paper 004, section 3 compares, and by
// ours. Bare WebGL2: no page around it, so that only the ways differ.
//
// poses: by picture, four numbers per object (x, y, and the cosine and sine of its angle). corners: by object, x and y
// in turn. Returns an array of { name, ms: of a picture, pixels: a hash of the last one }.
export function drawByOptions({ poses, corners, width, height, reach, roundMs, rounds }) {
    const canvas = new OffscreenCanvas(width, height);
    const gl = canvas.getContext('webgl2', { antialias: false, depth: false, alpha: false });
    if (!gl || !gl.getExtension('EXT_color_buffer_float')) {
        throw new Error('this browser cannot draw numbers: WebGL2 with EXT_color_buffer_float is needed');
    }
    const count = corners.length;
    const counts = corners.map((list) => list.length / 2);
    const firsts = counts.map((_, i) => counts.slice(0, i).reduce((sum, n) => sum + n, 0));
    const all = corners.flat();

    // ---------------------------------------------------------------------------------------------------------
    // Textures, one row each: Linear and Rotational of every picture, Geometry and Vertices.

    const texture = (format, type, texels, data) => {
        const made = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, made);
        gl.texStorage2D(gl.TEXTURE_2D, 1, type, texels, data.length / texels / (format === gl.RGBA ? 4 : 2));
        const rows = data.length / texels / (format === gl.RGBA ? 4 : 2);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, texels, rows, format, gl.FLOAT, data);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        return made;
    };
    const part = (numbers, at) => {
        const data = new Float32Array(4 * count);
        for (let i = 0; i < count; ++i) data.set(numbers.slice(4 * i + at, 4 * i + at + 2), 4 * i);
        return data;
    };
    const linear = poses.map((numbers) => texture(gl.RGBA, gl.RGBA32F, count, part(numbers, 0)));
    const rotational = poses.map((numbers) => texture(gl.RGBA, gl.RGBA32F, count, part(numbers, 2)));
    const geometryData = Float32Array.from(counts.flatMap((n, i) => [firsts[i], n, 1, 1]));
    const geometry = texture(gl.RGBA, gl.RGBA32F, count, geometryData);
    const vertices = texture(gl.RG, gl.RG32F, all.length / 2, Float32Array.from(all));
    const poseTable = texture(gl.RGBA, gl.RGBA32F, count, Float32Array.from(poses.flat()));

    // ---------------------------------------------------------------------------------------------------------
    // Programs

    const HEAD = `#version 300 es
        precision highp float; precision highp int; precision highp sampler2D;
        uniform vec2 scale;
        void show(vec2 place, vec2 turn, vec2 local) {
            vec2 turned = vec2(turn.x * local.x - turn.y * local.y, turn.y * local.x + turn.x * local.y);
            gl_Position = vec4((place + turned) * scale - 1.0, 0.0, 1.0);
        }`;
    const TABLES = `uniform sampler2D linearTable; uniform sampler2D rotationalTable;
        uniform sampler2D geometryTable; uniform sampler2D vertexTable; uniform int index;
        uniform vec2 place; uniform vec2 turn;`;
    // Where a vertex is in its object, by option; how the object's transformation is read.
    const LOCAL = [
        `int first = int(texelFetch(geometryTable, ivec2(int(sent.x), 0), 0).x);
         vec2 local = texelFetch(vertexTable, ivec2(first + int(sent.y), 0), 0).xy;`,
        `vec2 local = texelFetch(vertexTable, ivec2(int(sent.x) + int(sent.y), 0), 0).xy;`,
        `vec2 local = sent;`,
    ];
    const MOVE = {
        index: `show(texelFetch(linearTable, ivec2(index, 0), 0).xy,
                     texelFetch(rotationalTable, ivec2(index, 0), 0).xy, local);`,
        toCPU: 'show(place, turn, local);',
    };
    const program = (vertexText) => {
        const made = gl.createProgram();
        const fragment = `#version 300 es
            precision highp float; out vec4 pixel; void main() { pixel = vec4(1.0, 0.6, 0.2, 1.0); }`;
        for (const [kind, text] of [
            [gl.VERTEX_SHADER, vertexText],
            [gl.FRAGMENT_SHADER, fragment],
        ]) {
            const shader = gl.createShader(kind);
            gl.shaderSource(shader, text);
            gl.compileShader(shader);
            gl.attachShader(made, shader);
        }
        gl.bindAttribLocation(made, 0, 'sent');
        gl.linkProgram(made);
        if (!gl.getProgramParameter(made, gl.LINK_STATUS)) {
            throw new Error(gl.getProgramInfoLog(made));
        }
        gl.useProgram(made);
        gl.uniform2f(gl.getUniformLocation(made, 'scale'), 2 / reach[0], 2 / reach[1]);
        ['linearTable', 'rotationalTable', 'geometryTable', 'vertexTable', 'poseTable'].forEach(
            (name, unit) => gl.uniform1i(gl.getUniformLocation(made, name), unit),
        );
        return { made, at: (name) => gl.getUniformLocation(made, name) };
    };
    const buffer = (numbers) => {
        const made = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, made);
        gl.bufferData(gl.ARRAY_BUFFER, Float32Array.from(numbers), gl.STATIC_DRAW);
        return made;
    };
    const sent = [
        counts.flatMap((n, i) => Array.from({ length: n }, (_, k) => [i, k]).flat()),
        counts.flatMap((n, i) => Array.from({ length: n }, (_, k) => [firsts[i], k]).flat()),
        all,
    ].map(buffer);
    const useTextures = (picture) => {
        [linear[picture], rotational[picture], geometry, vertices, poseTable].forEach((one, unit) => {
            gl.activeTexture(gl.TEXTURE0 + unit);
            gl.bindTexture(gl.TEXTURE_2D, one);
        });
    };

    // ---------------------------------------------------------------------------------------------------------
    // The ways: each draws a picture.

    const ways = [];
    const framebuffer = gl.createFramebuffer();
    const readBack = (from, into) => {
        gl.bindFramebuffer(gl.READ_FRAMEBUFFER, framebuffer);
        gl.framebufferTexture2D(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, from, 0);
        gl.readPixels(0, 0, count, 1, gl.RGBA, gl.FLOAT, into);
        gl.bindFramebuffer(gl.READ_FRAMEBUFFER, null);
    };
    const [places, turns] = [new Float32Array(4 * count), new Float32Array(4 * count)];
    LOCAL.forEach((local, option) => {
        for (const move of ['index', 'toCPU']) {
            const { made, at } = program(
                `${HEAD} ${TABLES} in vec2 sent; void main() { ${local} ${MOVE[move]} }`,
            );
            const [index, place, turn] = [at('index'), at('place'), at('turn')];
            ways.push({
                name: `option ${option + 1}, ${move}`,
                draw(picture) {
                    gl.useProgram(made);
                    useTextures(picture);
                    gl.bindBuffer(gl.ARRAY_BUFFER, sent[option]);
                    gl.enableVertexAttribArray(0);
                    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
                    if (move === 'toCPU') {
                        readBack(linear[picture], places);
                        readBack(rotational[picture], turns);
                    }
                    for (let i = 0; i < count; ++i) {
                        if (move === 'index') {
                            gl.uniform1i(index, i);
                        } else {
                            gl.uniform2f(place, places[4 * i], places[4 * i + 1]);
                            gl.uniform2f(turn, turns[4 * i], turns[4 * i + 1]);
                        }
                        gl.drawArrays(gl.TRIANGLE_FAN, firsts[i], counts[i]);
                    }
                },
            });
        }
    });

    // Ours, as viewer/src/stage/body_list.ts has it: one draw for all objects of a shape, which is there several times
    // over, so that an instance has several objects. The poses of all pictures are in one texture, of which a uniform
    // tells the picture; or those of the picture are sent each time.
    const COPIES = 128;
    const fan = Array.from({ length: counts[0] - 2 }, (_, k) => [0, k + 1, k + 2]).flat();
    const shape = buffer(
        Array.from({ length: COPIES }, (_, copy) =>
            fan.flatMap((k) => [corners[0][2 * k], corners[0][2 * k + 1], copy]),
        ).flat(),
    );
    const many =
        program(`${HEAD} in vec3 sent; uniform sampler2D poseTable; uniform int picture; uniform int count;
        void main() {
            int object = gl_InstanceID * ${COPIES} + int(sent.z + 0.5);
            gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
            if (object >= count) return;
            vec4 pose = texelFetch(poseTable, ivec2(object, picture), 0);
            show(pose.xy, pose.zw, sent.xy);
        }`);
    gl.uniform1i(many.at('count'), count);
    const picked = many.at('picture');
    const drawMany = (picture) => {
        gl.bindBuffer(gl.ARRAY_BUFFER, shape);
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
        gl.uniform1i(picked, picture);
        gl.drawArraysInstanced(gl.TRIANGLES, 0, COPIES * fan.length, Math.ceil(count / COPIES));
    };
    ways.push({
        name: 'ours: a texture of all poses',
        draw(picture) {
            gl.useProgram(many.made);
            useTextures(picture);
            drawMany(picture);
        },
    });
    const poseData = poses.map((numbers) => Float32Array.from(numbers));
    const sentTable = texture(gl.RGBA, gl.RGBA32F, count, poseData[0]);
    ways.push({
        name: 'ours, poses sent per picture',
        draw(picture) {
            gl.useProgram(many.made);
            useTextures(picture);
            gl.bindTexture(gl.TEXTURE_2D, sentTable); // the last unit is that of poses
            gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, count, 1, gl.RGBA, gl.FLOAT, poseData[picture]);
            drawMany(0);
        },
    });

    // ---------------------------------------------------------------------------------------------------------
    // Time. The graphics unit is done when a pixel can be read.

    const pixel = new Uint8Array(4);
    const wait = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    const picture = (way, number) => {
        gl.clear(gl.COLOR_BUFFER_BIT);
        way.draw(number % poses.length);
    };
    const round = (way) => {
        picture(way, 0);
        wait();
        const begin = performance.now();
        let drawn = 0;
        while (performance.now() - begin < roundMs) {
            picture(way, drawn++);
            wait();
        }
        return (performance.now() - begin) / drawn;
    };
    const hash = () => {
        const pixels = new Uint8Array(4 * width * height);
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        let sum = 2166136261;
        let set = 0;
        for (let i = 0; i < pixels.length; i += 4) {
            sum = Math.imul(sum ^ pixels[i], 16777619) >>> 0;
            set += pixels[i] > 0 ? 1 : 0;
        }
        return { sum, set };
    };
    const results = ways.map(({ name }) => ({ name, ms: [] }));
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 1);
    for (let i = 0; i < rounds; ++i) {
        ways.forEach((way, number) => results[number].ms.push(round(way)));
    }
    ways.forEach((way, number) => {
        picture(way, poses.length - 1);
        results[number].pixels = hash();
    });
    if (gl.getError() !== gl.NO_ERROR) {
        throw new Error('WebGL reported an error');
    }
    return results;
}
