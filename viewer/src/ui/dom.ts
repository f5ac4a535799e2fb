// Elements in one line.

type Child = Node | string;
type Attributes = Record<string, string | number | boolean>;

// An attribute that is true is set without a value, one that is false is left out.
export function element<Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[Tag] {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === true) {
            made.setAttribute(name, '');
        } else if (value !== false) {
            made.setAttribute(name, String(value));
        }
    }
    made.append(...children);
    return made;
}

// Writes only what changed: most texts stay the same from frame to frame.
export function setText(target: Element, text: string): void {
    if (target.textContent !== text) {
        target.textContent = text;
    }
}

// A button that does something; its label is read out and shown when the pointer rests on it.
export function button(label: string, content: Child, action: () => void, extra: Attributes = {}) {
    const made = element('button', { type: 'button', 'aria-label': label, title: label, ...extra }, content);
    made.addEventListener('click', action);
    return made;
}

// Calls back at most once per `interval` milliseconds, the last call never lost.
export function throttled(interval: number, action: () => void): () => void {
    let waiting = false;
    let last = -Infinity;
    return () => {
        if (waiting) {
            return;
        }
        const rest = last + interval - performance.now();
        if (rest <= 0) {
            last = performance.now();
            action();
            return;
        }
        waiting = true;
        setTimeout(() => {
            waiting = false;
            last = performance.now();
            action();
        }, rest);
    };
}

// The action, once nobody has asked for it for so many milliseconds.
export function atRest(interval: number, action: () => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    return () => {
        clearTimeout(timer);
        timer = setTimeout(action, interval);
    };
}
