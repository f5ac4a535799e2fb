// What is known of the selected body.
import { ASLEEP, STATE_SIZE } from '../recording/types';
import type { App } from './app';
import { bodyName, hasNumbers, trianglesOf } from './app';
import { contactsOf, type Partner } from './bodycontacts';
import { button, element, setText, throttled } from './dom';
import { count, decimals, plural, quantity } from './format';
import { highlightedOf } from './highlights';
import { icon } from './icons';
import { wholeFrame } from './state';

const SHOWN_PARTNERS = 8;
const LIVELY = 150; // ms between two updates while playing: as fast as one can read

export function createPanel(app: App): HTMLElement {
    const { store, recording } = app;
    const title = element('h2');
    const facts = new FactList();
    const partners = new PartnerList(app);
    const close = button('Deselect (Escape)', icon('close'), () => store.set({ body: null }), {
        class: 'plain',
    });
    const root = element(
        'aside',
        { class: 'panel card', 'aria-label': 'Selected body', hidden: true },
        element('header', {}, title, close),
        actions(app),
        facts.root,
        partners.root,
    );
    const update = () => {
        const { body } = store.state;
        if (body === null || !recording.bodies[body]) {
            return;
        }
        facts.set(bodyFacts(app, body));
        partners.set(body, wholeFrame(store.state));
    };
    const lively = throttled(LIVELY, update);
    store.subscribe(['body'], ({ body }) => {
        root.hidden = body === null || !recording.bodies[body];
        setText(title, root.hidden ? '' : bodyName(recording, body!));
        update();
    });
    store.subscribe(['frame'], lively);
    return root;
}

function actions({ store, stage }: App): HTMLElement {
    const follow = element('button', { type: 'button', class: 'chip', title: 'The camera goes with it (f)' });
    follow.textContent = 'Follow';
    follow.addEventListener('click', () => {
        const { body, followed } = store.state;
        store.set({ followed: followed === body ? null : body });
    });
    store.subscribe(['body', 'followed'], ({ body, followed }) =>
        follow.setAttribute('aria-pressed', String(body !== null && followed === body)),
    );
    const look = element('button', { type: 'button', class: 'chip' }, 'Look at');
    look.addEventListener('click', () => store.state.body !== null && stage?.lookAt(store.state.body));
    const deselect = element('button', { type: 'button', class: 'chip' }, 'Deselect');
    deselect.addEventListener('click', () => store.set({ body: null }));
    const row = element('div', { class: 'row' }, deselect);
    if (stage) {
        row.prepend(follow, look);
    }
    return row;
}

function bodyFacts(app: App, body: number): [string, string][] {
    const { recording, highlights, store } = app;
    const frame = wholeFrame(store.state);
    const { kind, mesh } = recording.bodies[body]!;
    const states = recording.states(frame);
    const at = body * STATE_SIZE;
    const speed = states[at + 3]!;
    const place = recording.origin.map((zero, axis) => decimals(zero + states[at + axis]!, 3));
    const facts: [string, string][] = [
        ['number', `${body}, ${kind}`],
        ['mesh', recording.meshes[mesh]!.name],
        ['triangles', count(trianglesOf(recording, body))],
    ];
    if (highlights) {
        facts.push([highlights.title, count(highlightedOf(highlights, frame, body))]);
    }
    facts.push(['position (m)', place.join('  ')]);
    if (hasNumbers(recording) && kind !== 'static') {
        facts.push(['speed', quantity(speed === ASLEEP ? 0 : speed, 'm/s')]);
        facts.push(['state', speed === ASLEEP ? 'asleep' : 'awake']);
    }
    return facts;
}

// Rows of a name and a value; they stay while only values change.
class FactList {
    readonly root = element('dl');
    private names = '';

    set(facts: [string, string][]): void {
        const names = facts.map(([name]) => name).join('|');
        if (names !== this.names) {
            this.names = names;
            this.root.replaceChildren(...facts.flatMap(([name]) => [element('dt', {}, name), element('dd')]));
        }
        const values = this.root.querySelectorAll('dd');
        facts.forEach(([, value], index) => setText(values[index]!, value));
    }
}

// The bodies it touches, as buttons that select them. A button stays as long as its body does, so that a click
// while playing finds it.
class PartnerList {
    readonly root = element('section', { class: 'partners' });
    private readonly title = element('h3');
    private readonly list = element('ul');
    private readonly more = element('p', { class: 'quiet' });
    private readonly rows = new Map<number, HTMLLIElement>();

    constructor(private readonly app: App) {
        this.root.append(this.title, this.list, this.more);
    }

    set(body: number, frame: number): void {
        const { recording } = this.app;
        this.root.hidden = !hasNumbers(recording);
        if (this.root.hidden) {
            return;
        }
        const { contacts, force, partners } = contactsOf(recording, frame, body);
        const total = contacts > 0 ? `, ${quantity(force, 'N')} in all` : '';
        setText(this.title, contacts > 0 ? plural(contacts, 'contact') + total : 'No contacts');
        const shown = partners.slice(0, SHOWN_PARTNERS).sort((one, two) => one.body - two.body);
        this.more.hidden = partners.length <= SHOWN_PARTNERS;
        setText(this.more, `and ${plural(partners.length - SHOWN_PARTNERS, 'more body', 'more bodies')}`);
        this.show(shown);
    }

    private show(partners: readonly Partner[]): void {
        const bodies = new Set(partners.map((partner) => partner.body));
        for (const [body, row] of this.rows) {
            if (!bodies.has(body)) {
                row.remove();
                this.rows.delete(body);
            }
        }
        partners.forEach((partner, index) => {
            const row = this.rows.get(partner.body) ?? this.makeRow(partner.body);
            setText(row.lastElementChild!, `${count(partner.contacts)} · ${quantity(partner.force, 'N')}`);
            if (this.list.children[index] !== row) {
                this.list.insertBefore(row, this.list.children[index] ?? null);
            }
        });
    }

    private makeRow(body: number): HTMLLIElement {
        const name = bodyName(this.app.recording, body);
        const link = element('button', { type: 'button', class: 'link', title: `Select ${name}` }, name);
        link.addEventListener('click', () => this.app.store.set({ body }));
        const row = element('li', {}, link, element('span'));
        this.rows.set(body, row);
        return row;
    }
}
