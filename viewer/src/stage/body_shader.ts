// How bodies look: a soft sky, one sun, and colours by what is asked for.
import { BODY_LIST_SHADER } from './body_list';
import { GRID_SHADER } from './ground_grid';
import { SCALE } from './palette';
import { POSE_SHADER } from './pose_mix';
import { BACKGROUND_SHADER, PRECISION_SHADER } from './uniforms';

// Light on a surface, as the screen shows it. share: of the sun that gets there.
const LIGHT_SHADER = /* glsl */ `
uniform vec3 cameraPosition;
uniform vec3 sunDirection;
uniform float exposure;
uniform float groundLight;

vec3 seenColour(vec4 colour, vec3 place, vec3 normal, float share) {
    bool still = colour.a == 0.0;
    float sun = max(dot(normal, sunDirection), 0.0) * share;
    vec3 sky = mix(vec3(0.2, 0.18, 0.17), vec3(0.55, 0.6, 0.68), 0.5 + 0.5 * normal.y);
    sky *= mix(0.75, 1.0, share);
    vec3 light = sky + sun * vec3(1.5, 1.42, 1.28);
    vec3 lit;
    if (still) {
        lit = colour.rgb * light * groundLight;
    } else {
        vec3 toCamera = normalize(cameraPosition - place);
        float facing = max(dot(normal, toCamera), 0.0);
        lit = colour.rgb * (light + 0.16 * facing);
        float shine = max(dot(normal, normalize(toCamera + sunDirection)), 0.0);
        shine *= shine;
        shine *= shine;
        shine *= shine;
        float edge = 1.0 - facing;
        lit += 0.1 * shine * shine * share + 0.06 * edge * edge * edge;
    }
    lit *= exposure;
    // Bright places fade to white instead of being cut off.
    lit = lit * (1.0 + lit / 6.0) / (1.0 + 0.42 * lit);
    return pow(lit, vec3(1.0 / 2.2));
}
`;

// With LIGHT_BY_VERTEX light is computed at vertices and without shadows: a third of the time on software renderers.
// FADES is for bodies that stand still for ever, then, and TWO_SIDED for those of which both sides are seen.
export const BODY_VERTEX_SHADER = /* glsl */ `${PRECISION_SHADER}
${POSE_SHADER}
${BODY_LIST_SHADER}
${LIGHT_SHADER}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform sampler2D forceTable;
uniform int colourMode;
uniform vec3 scale[${SCALE.length}];
uniform vec3 awake;
uniform vec3 asleep;
uniform vec3 selectedColour;
uniform float topSpeed;
uniform int selected;
in vec3 position;
in vec3 normal;
out vec3 worldPosition;
#ifdef LIGHT_BY_VERTEX
out vec3 seen;
#else
out vec3 worldNormal;
flat out vec4 colour; // and whether the body stands still for ever: 0
#endif

vec3 onScale(float share) {
    float at = clamp(share, 0.0, 1.0) * ${(SCALE.length - 1).toFixed(1)};
    int low = min(int(at), ${SCALE.length - 2});
    return mix(scale[low], scale[low + 1], at - float(low));
}

vec3 colourOf(int number, vec4 own, float speed) {
    vec3 colour = own.rgb;
    if (own.w == 0.0) return colour;
    ONLY_IF(colourMode == 1) colour = onScale(max(speed, 0.0) / topSpeed);
    ONLY_IF(colourMode == 2) colour = speed < 0.0 ? asleep : awake;
    ONLY_IF(colourMode == 3) {
        colour = onScale(texelFetch(forceTable, bodyTexel(number), 0).r);
    }
    return colour;
}

void main() {
    Listed listed = listedBody();
    int number = listed.number;
    gl_Position = NOWHERE;
    if (number < 0) return;
    Pose pose = poseOf(number);
    vec4 own = listed.paint;
    vec3 place = pose.position + turned(position, pose.rotation);
    vec3 turnedNormal = turned(normal, pose.rotation);
    vec4 painted = vec4(colourOf(number, own, pose.speed), own.w);
    if (number == selected && colourMode == 0) painted.rgb = mix(painted.rgb, selectedColour, 0.3) * 1.25;
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
    worldPosition = place;
#ifdef LIGHT_BY_VERTEX
#ifdef TWO_SIDED
    if (dot(turnedNormal, cameraPosition - place) < 0.0) turnedNormal = -turnedNormal;
#endif
    seen = seenColour(painted, place, turnedNormal, 1.0);
#else
    worldNormal = turnedNormal;
    colour = painted;
#endif
}
`;

export const BODY_FRAGMENT_SHADER = /* glsl */ `${PRECISION_SHADER}
${BACKGROUND_SHADER}
${GRID_SHADER}
uniform float viewDistance;
uniform float opacity;
uniform int gridOnBodies;
in vec3 worldPosition;
out vec4 pixel;

// The grid upon what is not too steep. The loop is left at once where there is none: see ONLY_IF.
vec3 withGrid(vec3 seen) {
    for (int round = 0; round < gridOnBodies; ++round) {
        vec3 normal = cross(dFdx(worldPosition), dFdy(worldPosition));
        float flatness = smoothstep(0.2, 0.5, abs(normal.y) / max(length(normal), 1e-30));
        seen = mix(seen, lineColour, flatness * gridLine(worldPosition.xz));
    }
    return seen;
}

// What stands still for ever, like the ground, fades into the background far away.
vec3 faded(vec3 plain, vec3 eye) {
    vec3 seen = withGrid(plain);
    return mix(seen, background(), smoothstep(1.3, 4.5, distance(worldPosition, eye) / viewDistance));
}

#ifdef LIGHT_BY_VERTEX
uniform vec3 cameraPosition;
in vec3 seen;

void main() {
#ifdef FADES
    pixel = vec4(faded(seen, cameraPosition), opacity);
#else
    pixel = vec4(seen, opacity);
#endif
}
#else
precision highp sampler2DShadow;
${LIGHT_SHADER}
uniform sampler2DShadow shadowMap;
uniform mat4 shadowMatrix;
uniform float shadowStrength;
uniform float shadowTexel;
in vec3 worldNormal;
flat in vec4 colour;

// The share of the sun that gets here. Bodies in the shadow map are coarse, so a point is looked up off its surface.
float sunShare(vec3 normal) {
    if (shadowStrength == 0.0) return 1.0;
    vec3 off = 2.5 * shadowTexel * (normal + sunDirection);
    vec3 at = (shadowMatrix * vec4(worldPosition + off, 1.0)).xyz;
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
    vec2 step = 0.9 / vec2(textureSize(shadowMap, 0));
    float lit = texture(shadowMap, at + vec3(-step.x, -0.4 * step.y, 0.0));
    lit += texture(shadowMap, at + vec3(0.4 * step.x, -step.y, 0.0));
    lit += texture(shadowMap, at + vec3(step.x, 0.4 * step.y, 0.0));
    lit += texture(shadowMap, at + vec3(-0.4 * step.x, step.y, 0.0));
    return mix(1.0, 0.25 * lit, shadowStrength);
}

void main() {
    vec3 normal = normalize(worldNormal);
    if (!gl_FrontFacing) normal = -normal;
    vec3 seen = seenColour(colour, worldPosition, normal, sunShare(normal));
    pixel = vec4(colour.a == 0.0 ? faded(seen, cameraPosition) : seen, opacity);
}
#endif
`;

export const DEPTH_VERTEX_SHADER = /* glsl */ `${PRECISION_SHADER}
${POSE_SHADER}
${BODY_LIST_SHADER}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;

void main() {
    int number = listedBody().number;
    gl_Position = NOWHERE;
    if (number < 0) return;
    Pose pose = poseOf(number);
    vec3 world = pose.position + turned(position, pose.rotation);
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;

export const PLAIN_FRAGMENT_SHADER = /* glsl */ `${PRECISION_SHADER}
uniform vec4 plainColour; // as the screen has it
out vec4 pixel;

void main() {
    pixel = plainColour;
}
`;
