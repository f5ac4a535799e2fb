// What all shaders of a stage share: set once per draw, in one place.
import { Matrix4, Vector2, Vector3, Vector4, type Texture } from 'three';
import { type Scheme, AWAKE, ASLEEP, LIGHT, SCALE, SELECTED, linearColour } from './palette';
import type { ColourMode } from './types';

export interface Uniform<T> {
    value: T;
}

const MODE_NUMBER: Record<ColourMode, number> = { body: 0, speed: 1, sleep: 2, force: 3 };

// A type, not an interface: three.js takes uniforms by an index signature, which interfaces do not have.
export type Uniforms = ReturnType<typeof makeUniforms>;

export function makeUniforms() {
    const colour = (rgb: readonly [number, number, number]) => new Vector3(...linearColour(rgb));
    return {
        poseTable: { value: null } as Uniform<Texture | null>,
        bodyTable: { value: null } as Uniform<Texture | null>,
        forceTable: { value: null } as Uniform<Texture | null>,
        poseTableWidth: { value: 1 },
        frames: { value: new Vector4() }, // sent as ivec4
        between: { value: 0 },
        secondsBetween: { value: 0 },
        colourMode: { value: 0 },
        scale: { value: SCALE.map(colour) },
        awake: { value: colour(AWAKE) },
        asleep: { value: colour(ASLEEP) },
        selectedColour: { value: colour(SELECTED) },
        topSpeed: { value: 1 },
        selected: { value: -1 },
        pictureSize: { value: new Vector2(1, 1) }, // drawn pixels
        pixelRatio: { value: 1 }, // drawn pixels per CSS pixel
        sunDirection: { value: new Vector3(0.42, 0.82, 0.39).normalize() },
        shadowMap: { value: null } as Uniform<Texture | null>,
        shadowMatrix: { value: new Matrix4() },
        shadowStrength: { value: 0 },
        shadowTexel: { value: 0 }, // m
        viewDistance: { value: 1 }, // from the camera to what it looks at, m
        opacity: { value: 1 },
        exposure: { value: 1 },
        groundLight: { value: 1 },
        backgroundTop: { value: new Vector3() },
        backgroundBottom: { value: new Vector3() },
        lineColour: { value: new Vector3() },
        gridMiddle: { value: new Vector3() },
        gridReach: { value: 1 }, // m
        gridStep: { value: 1 }, // m
        gridOnBodies: { value: 0 }, // 1: bodies that stand still for ever have the grid's lines upon them
    };
}

export function useScheme(uniforms: Uniforms, scheme: Scheme): void {
    uniforms.backgroundTop.value.set(...scheme.top);
    uniforms.backgroundBottom.value.set(...scheme.bottom);
    uniforms.lineColour.value.set(...scheme.lines);
    uniforms.exposure.value = scheme.exposure;
    uniforms.groundLight.value = scheme === LIGHT ? 1 : scheme.ground;
}

export function useColourMode(uniforms: Uniforms, mode: ColourMode): void {
    uniforms.colourMode.value = MODE_NUMBER[mode];
}

export const PRECISION_SHADER = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
`;

// Colours of the background are as the screen has them, not linear light.
export const BACKGROUND_SHADER = /* glsl */ `
uniform vec3 backgroundTop;
uniform vec3 backgroundBottom;
uniform vec2 pictureSize;

vec3 background() {
    float height = gl_FragCoord.y / pictureSize.y;
    return mix(backgroundBottom, backgroundTop, smoothstep(0.0, 1.0, height));
}
`;
