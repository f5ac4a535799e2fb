// The buttons of the player, the speed and the place in time.
import type { App } from './app';
import { button, element, setText } from './dom';
import { count, seconds } from './format';
import { icon } from './icons';
import { SPEEDS, wholeFrame } from './state';

export function speedName(speed: number): string {
    return speed < 1 ? `1/${Math.round(1 / speed)}×` : `${speed}×`;
}

export function createControls(app: App): HTMLElement {
    const { player } = app;
    const buttons = element(
        'div',
        { class: 'buttons', role: 'group', 'aria-label': 'Player' },
        button('To the start (Home)', icon('start'), () => player.seek(0)),
        button('One frame back (←)', icon('back'), () => player.stepBy(-1)),
        playButton(app),
        button('One frame forward (→)', icon('forward'), () => player.stepBy(1)),
        button('To the end (End)', icon('end'), () => player.seek(app.store.state.frameCount - 1)),
        loopButton(app),
        speedChoice(app),
    );
    return buttons;
}

function playButton({ store, player }: App): HTMLElement {
    const made = button('Play', icon('play'), () => player.toggle(), { class: 'play' });
    store.subscribe(['playing'], ({ playing }) => {
        const label = playing ? 'Pause (space)' : 'Play (space)';
        made.replaceChildren(icon(playing ? 'pause' : 'play'));
        made.setAttribute('aria-label', label);
        made.title = label;
    });
    return made;
}

function loopButton({ store }: App): HTMLElement {
    const made = button('Again from the start when it ends (l)', icon('loop'), () =>
        store.set({ loop: !store.state.loop }),
    );
    store.subscribe(['loop'], ({ loop }) => made.setAttribute('aria-pressed', String(loop)));
    return made;
}

function speedChoice({ store }: App): HTMLElement {
    const choice = element('select', { 'aria-label': 'Speed', title: 'Speed: 1× is real time (+, −)' });
    for (const speed of SPEEDS) {
        choice.append(element('option', { value: speed }, speedName(speed)));
    }
    choice.addEventListener('change', () => store.set({ speed: Number(choice.value) }));
    store.subscribe(['speed'], ({ speed }) => (choice.value = String(speed)));
    return choice;
}

// Time and frame.
export function createClock({ store, recording }: App): HTMLElement {
    const time = element('span', { class: 'clock-time' });
    const frame = element('span', { class: 'clock-frame' });
    store.subscribe(['frame', 'frameCount'], (state) => {
        const whole = wholeFrame(state);
        setText(time, seconds(recording.numbers[whole]?.time ?? 0, recording.step));
        setText(frame, `frame ${count(whole)} / ${count(state.frameCount - 1)}`);
    });
    return element('div', { class: 'clock' }, time, frame);
}
