// Messages above the picture: what went wrong, and what is shown all the same.
import { button, element, setText } from './dom';
import { icon } from './icons';

export type Severity = 'note' | 'warning' | 'error';

export class Banners {
    readonly root = element('div', { class: 'banners' });
    private readonly shown = new Map<string, { box: HTMLElement; text: HTMLElement }>();

    private readonly dismissed = new Set<string>();

    // One message per topic; "" takes it away. A topic that was dismissed is not brought up again until it was away.
    set(topic: string, severity: Severity, message: string): void {
        const old = this.shown.get(topic);
        if (message === '') {
            this.remove(topic);
            this.dismissed.delete(topic);
            return;
        }
        if (this.dismissed.has(topic)) {
            return;
        }
        if (old) {
            setText(old.text, message);
            return;
        }
        const text = element('p');
        const close = button('Dismiss', icon('close'), () => this.dismiss(topic), {
            class: 'plain',
        });
        const role = severity === 'note' ? 'status' : 'alert';
        const box = element('div', { class: `banner ${severity}`, role }, text, close);
        this.shown.set(topic, { box, text });
        this.root.append(box);
        text.textContent = message;
    }

    private dismiss(topic: string): void {
        this.remove(topic);
        this.dismissed.add(topic);
    }

    private remove(topic: string): void {
        this.shown.get(topic)?.box.remove();
        this.shown.delete(topic);
    }
}

// A thin line while bytes come.
export class Progress {
    private readonly text = element('span');
    private readonly bar = element('div', { class: 'progress-bar' });
    readonly root = element(
        'div',
        { class: 'progress', role: 'progressbar', hidden: true },
        this.bar,
        this.text,
    );

    set(part: number | null, text: string): void {
        this.root.hidden = false;
        this.root.setAttribute('aria-label', text);
        setText(this.text, text);
        if (part === null) {
            this.root.removeAttribute('aria-valuenow');
        } else {
            this.root.setAttribute('aria-valuenow', String(Math.round(100 * part)));
        }
        this.bar.style.width = `${100 * (part ?? 1)}%`;
    }

    done(): void {
        this.root.hidden = true;
    }
}
