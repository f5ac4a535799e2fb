// The slider of frames. It is the browser's own, which knows keys, touch and screen readers.
import type { App } from './app';
import { element } from './dom';
import { seconds } from './format';
import { wholeFrame } from './state';

export function createTimeline({ store, player, recording }: App): HTMLElement {
    const slider = element('input', {
        type: 'range',
        class: 'timeline',
        min: 0,
        step: 'any',
        'aria-label': 'Frame',
    });
    slider.addEventListener('input', () => player.seek(Number(slider.value)));
    store.subscribe(['frame', 'frameCount'], (state) => {
        const last = Math.max(state.frameCount - 1, 1);
        const whole = wholeFrame(state);
        slider.max = String(last);
        slider.value = String(state.frame);
        slider.style.setProperty('--part', `${(100 * state.frame) / last}%`);
        const time = seconds(recording.numbers[whole]?.time ?? 0, recording.step);
        slider.setAttribute('aria-valuetext', `frame ${whole}, ${time}`);
    });
    return slider;
}
