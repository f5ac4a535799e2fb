// Contacts: a dot each, and an arrow along the normal that is longer where the force is larger. Contacts lie between
// bodies, so most are hidden: those shine through faintly.
import {
    BufferAttribute,
    DynamicDrawUsage,
    GLSL3,
    Group,
    InstancedBufferAttribute,
    InstancedBufferGeometry,
    Mesh,
    RawShaderMaterial,
    Sphere,
    Vector3,
} from 'three';
import type { FrameContacts } from '../recording/types';
import type { Forces } from './forces';
import { CONTACT } from './palette';
import { PRECISION_SHADER, type Uniforms } from './uniforms';

const MOST_CONTACTS = 20_000;
const HIDDEN_OPACITY = 0.28;

export class ContactMarks {
    readonly group = new Group();
    // Of how many contacts there are, how many are drawn.
    count = 0;
    drawn = 0;
    private readonly dots = new Group();
    private readonly arrows = new Group();
    private readonly places = attribute(3);
    private readonly normals = attribute(3);
    private readonly shares = attribute(1);
    private readonly own = { bodyRadius: { value: 1 }, markColour: { value: new Vector3(...CONTACT) } };

    constructor(uniforms: Uniforms) {
        const kinds = [
            { group: this.dots, corners: DOT_CORNERS, main: DOT_MAIN, fragment: DOT_FRAGMENT },
            { group: this.arrows, corners: ARROW_CORNERS, main: ARROW_MAIN, fragment: ARROW_FRAGMENT },
        ];
        for (const kind of kinds) {
            const geometry = this.geometry(kind.corners);
            for (const hidden of [true, false]) {
                const material = new RawShaderMaterial({
                    glslVersion: GLSL3,
                    uniforms: {
                        ...uniforms,
                        ...this.own,
                        markOpacity: { value: hidden ? HIDDEN_OPACITY : 1 },
                    },
                    vertexShader: COMMON + kind.main,
                    fragmentShader: PRECISION_SHADER + kind.fragment,
                    transparent: true,
                    depthTest: !hidden,
                    depthWrite: false,
                });
                const mesh = new Mesh(geometry, material);
                mesh.frustumCulled = false;
                mesh.renderOrder = hidden ? 6 : 7;
                kind.group.add(mesh);
            }
        }
        this.group.add(this.dots, this.arrows);
        this.show(false, false);
    }

    private geometry(corners: number[]): InstancedBufferGeometry {
        const geometry = new InstancedBufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(Float32Array.from(corners), 2));
        geometry.setAttribute('place', this.places);
        geometry.setAttribute('contactNormal', this.normals);
        geometry.setAttribute('share', this.shares);
        geometry.instanceCount = 0;
        // Corners are of the picture, not of the scene: three.js must not measure them.
        geometry.boundingSphere = new Sphere();
        return geometry;
    }

    show(dots: boolean, arrows: boolean): void {
        this.dots.visible = dots;
        this.arrows.visible = arrows;
    }

    get visible(): boolean {
        return this.dots.visible || this.arrows.visible;
    }

    setBodyRadius(radius: number): void {
        this.own.bodyRadius.value = radius;
    }

    // If there are too many, every so many of them, so that all places keep some.
    set(contacts: FrameContacts, forces: Forces): void {
        const stride = Math.ceil(contacts.count / MOST_CONTACTS) || 1;
        this.count = contacts.count;
        this.drawn = 0;
        for (let i = 0; i < contacts.count; i += stride) {
            const to = this.drawn++;
            this.shares.array[to] = forces.share(forces.of(contacts.impulses[i]));
            for (let axis = 0; axis < 3; ++axis) {
                this.places.array[3 * to + axis] = contacts.points[3 * i + axis];
                this.normals.array[3 * to + axis] = contacts.normals[3 * i + axis];
            }
        }
        for (const data of [this.places, this.normals, this.shares]) {
            data.clearUpdateRanges();
            data.addUpdateRange(0, this.drawn * data.itemSize);
            data.needsUpdate = true;
        }
        for (const mesh of this.meshes()) mesh.geometry.instanceCount = this.drawn;
    }

    private meshes(): Mesh<InstancedBufferGeometry, RawShaderMaterial>[] {
        return [...this.dots.children, ...this.arrows.children] as Mesh<
            InstancedBufferGeometry,
            RawShaderMaterial
        >[];
    }

    dispose(): void {
        for (const mesh of this.meshes()) {
            mesh.geometry.dispose();
            mesh.material.dispose();
        }
        this.group.removeFromParent();
    }
}

function attribute(itemSize: number): InstancedBufferAttribute {
    const made = new InstancedBufferAttribute(new Float32Array(MOST_CONTACTS * itemSize), itemSize);
    return made.setUsage(DynamicDrawUsage) as InstancedBufferAttribute;
}

const DOT_CORNERS = [-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1];
// x: 0 at the tail, 1 at the tip; y: across. The shaft ends where the head begins, at x = 0.5.
const ARROW_CORNERS = [0, -1, 0.5, -1, 0.5, 1, 0, -1, 0.5, 1, 0, 1, 0.6, -1, 1, 0, 0.6, 1];

const COMMON = /* glsl */ `${PRECISION_SHADER}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec2 pictureSize;
uniform float pixelRatio;
uniform float bodyRadius;
in vec2 position;
in vec3 place;
in vec3 contactNormal;
in float share;

// Pixels that a length of one metre has at this depth.
float pixelsPerMetre(vec4 clip) {
    return 0.5 * pictureSize.y * projectionMatrix[1][1] / max(clip.w, 1e-30);
}
`;

const DOT_MAIN = /* glsl */ `
out vec2 inDot;

void main() {
    vec4 clip = projectionMatrix * viewMatrix * vec4(place, 1.0);
    float radius = clamp(0.07 * bodyRadius * pixelsPerMetre(clip), 1.8 * pixelRatio, 6.0 * pixelRatio);
    inDot = position;
    clip.xy += position * radius * 2.0 / pictureSize * clip.w;
    gl_Position = clip;
}
`;

const DOT_FRAGMENT = /* glsl */ `
uniform vec3 markColour;
uniform float markOpacity;
in vec2 inDot;
out vec4 pixel;

void main() {
    float far = length(inDot);
    if (far > 1.0) discard;
    pixel = vec4(mix(markColour, vec3(1.0), 0.5 * smoothstep(0.5, 0.0, far)), markOpacity);
}
`;

const ARROW_MAIN = /* glsl */ `
out float along;

void main() {
    float size = bodyRadius * (0.25 + 1.0 * share);
    vec4 tail = projectionMatrix * viewMatrix * vec4(place, 1.0);
    vec4 tip = projectionMatrix * viewMatrix * vec4(place + contactNormal * size, 1.0);
    vec2 way = (tip.xy / tip.w - tail.xy / tail.w) * pictureSize * 0.5;
    float pixels = max(length(way), 1e-3);
    vec2 across = vec2(-way.y, way.x) / pixels;
    float head = min(8.0 * pixelRatio, 0.5 * pixels) / pixels;
    bool inHead = position.x > 0.55;
    float t = inHead ? (position.x > 0.8 ? 1.0 : 1.0 - head) : (position.x > 0.25 ? 1.0 - head : 0.0);
    float width = inHead ? 0.4 * head * pixels : 0.8 * pixelRatio;
    vec4 clip = mix(tail, tip, t);
    clip.xy += across * position.y * width * 2.0 / pictureSize * clip.w;
    along = share;
    // Not drawn where an end is behind the camera: its direction in the picture would be wrong.
    gl_Position = min(tail.w, tip.w) > 0.0 ? clip : vec4(2.0, 2.0, 2.0, 1.0);
}
`;

const ARROW_FRAGMENT = /* glsl */ `
uniform vec3 markColour;
uniform float markOpacity;
in float along;
out vec4 pixel;

void main() {
    pixel = vec4(mix(vec3(0.1, 0.45, 0.85), markColour, along), markOpacity);
}
`;
