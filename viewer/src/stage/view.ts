// The camera: turned, moved and zoomed by the user, set to what is to be seen, or going with a body.
import { Box3, PerspectiveCamera, type Sphere, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

export type Direction = 'front' | 'right' | 'top' | 'start';

// From what is looked at to the camera; y is up. 'top' leans by a hair, so that up stays defined.
const DIRECTIONS: Record<Direction, Vector3> = {
    front: new Vector3(0, 0, 1),
    right: new Vector3(1, 0, 0),
    top: new Vector3(0, 1, 1e-4),
    start: new Vector3(0.52, 0.4, 0.86),
};
const MARGIN = 1.06;
const BODY_SHARE = 0.8;
const NEAR_GRID = 0.05; // of the distance to what is looked at: nearer lines of a grid may be cut

export class View {
    readonly camera = new PerspectiveCamera(38, 1, 0.1, 100);
    readonly controls: OrbitControls;
    private sceneRadius = 1;
    private readonly followed = new Vector3();
    private following = false;

    constructor(canvas: HTMLCanvasElement, changed: () => void) {
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.zoomToCursor = true;
        this.controls.addEventListener('change', changed);
    }

    get distance(): number {
        return this.camera.position.distanceTo(this.controls.target);
    }

    // What fog and steps are measured by.
    get scale(): number {
        return Math.max(this.distance, this.sceneRadius);
    }

    setAspect(aspect: number): void {
        this.camera.aspect = aspect;
        this.camera.updateProjectionMatrix();
    }

    // Looks at spheres so that they fill the picture, from the direction given or the one there is. A body is seldom
    // as large as its sphere.
    lookAt(places: readonly Sphere[], direction: Direction | null): void {
        if (places.length === 0) return;
        const from =
            direction === null
                ? this.camera.position.clone().sub(this.controls.target)
                : DIRECTIONS[direction].clone();
        if (from.lengthSq() === 0) from.copy(DIRECTIONS.start);
        from.normalize();
        const right = new Vector3(0, 1, 0).cross(from).normalize();
        const up = from.clone().cross(right);
        const box = new Box3(); // of the spheres, in the camera's axes
        for (const { center, radius } of places) {
            const seen = new Vector3(center.dot(right), center.dot(up), center.dot(from));
            box.expandByPoint(seen.clone().addScalar(BODY_SHARE * radius));
            box.expandByPoint(seen.addScalar(-BODY_SHARE * radius));
        }
        const seenMiddle = box.getCenter(new Vector3());
        const middle = new Vector3()
            .addScaledVector(right, seenMiddle.x)
            .addScaledVector(up, seenMiddle.y)
            .addScaledVector(from, seenMiddle.z);
        const distance = this.fittingDistance(places, middle, right, up, from);
        this.controls.target.copy(middle);
        this.camera.position.copy(middle).addScaledVector(from, distance);
        this.controls.minDistance = distance * 1e-4;
        this.controls.maxDistance = Math.max(distance, this.sceneRadius) * 200;
        this.controls.update();
    }

    setScene(box: Box3): void {
        this.sceneRadius = box.getSize(new Vector3()).length() / 2 || 1;
    }

    // How far off the camera has to be for all of the spheres to be in the picture.
    private fittingDistance(
        places: readonly Sphere[],
        middle: Vector3,
        right: Vector3,
        up: Vector3,
        from: Vector3,
    ): number {
        const upSlope = Math.tan((this.camera.fov * Math.PI) / 360);
        const rightSlope = upSlope * this.camera.aspect;
        let distance = 0;
        for (const { center, radius } of places) {
            const p = center.clone().sub(middle);
            const size = BODY_SHARE * radius;
            const across = (Math.abs(p.dot(right)) + size) / rightSlope;
            const upwards = (Math.abs(p.dot(up)) + size) / upSlope;
            distance = Math.max(distance, p.dot(from) + Math.max(across, upwards) * MARGIN);
        }
        return distance || 1;
    }

    // Goes with a body that is here now.
    follow(place: Vector3 | null): void {
        this.following = place !== null;
        if (place === null) return;
        this.followed.copy(place);
        this.moveBy(place.clone().sub(this.controls.target));
    }

    followTo(place: Vector3): void {
        if (!this.following) return;
        this.moveBy(place.clone().sub(this.followed));
        this.followed.copy(place);
    }

    private moveBy(way: Vector3): void {
        this.controls.target.add(way);
        this.camera.position.add(way);
    }

    // Near and far planes around all spheres given (three numbers each, and their radii), and around a grid that
    // reaches so far (0: there is none), so that nothing is cut off and depth is as fine as can be. What is much
    // nearer than the thing looked at may be cut.
    fitDepth(positions: Float32Array, radii: Float32Array, gridReach: number): void {
        this.camera.updateMatrixWorld();
        const forward = this.camera.getWorldDirection(new Vector3());
        const eye = this.camera.position;
        let near = Infinity;
        let far = 0;
        for (let i = 0; i < radii.length; ++i) {
            const depth =
                (positions[3 * i] - eye.x) * forward.x +
                (positions[3 * i + 1] - eye.y) * forward.y +
                (positions[3 * i + 2] - eye.z) * forward.z;
            if (depth + radii[i] <= 0) continue;
            near = Math.min(near, depth - radii[i]);
            far = Math.max(far, depth + radii[i]);
        }
        const scale = this.distance;
        far = Math.max(far, scale + 2 * this.sceneRadius) * 1.01;
        if (gridReach > 0) {
            far = Math.max(far, scale + gridReach);
            near = Math.min(near, scale * NEAR_GRID);
        }
        near = Math.min(Math.max(near * 0.99, scale * 0.01), far * 0.5);
        this.camera.near = near;
        this.camera.far = far;
        this.camera.updateProjectionMatrix();
    }

    dispose(): void {
        this.controls.dispose();
    }
}
