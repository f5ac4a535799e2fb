// Faults of the layout, found by where the browser puts the pieces of text.

// Runs in the page. Each fault is a sentence.
function findFaults() {
    const TRACE = 1.5; // px, of rounding
    const name = (node) => {
        const { tagName, className } = node.parentElement;
        return `"${node.data.trim().slice(0, 40)}" in ${tagName.toLowerCase()}.${className}`;
    };
    const styleOf = new Map();
    const style = (element) => {
        if (!styleOf.has(element)) {
            styleOf.set(element, getComputedStyle(element));
        }
        return styleOf.get(element);
    };
    const meet = (one, two) => ({
        left: Math.max(one.left, two.left),
        top: Math.max(one.top, two.top),
        right: Math.min(one.right, two.right),
        bottom: Math.min(one.bottom, two.bottom),
    });
    const isSpot = (box) => box.right - box.left <= TRACE || box.bottom - box.top <= TRACE;
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };

    // What can be seen of a box of text. `cut`: something takes a part of it away for good; what scrolls, or ends
    // with dots, does not.
    function visiblePart(element, box) {
        let part = box;
        let cut = false;
        for (let one = element; one && one !== document.documentElement; one = one.parentElement) {
            const { overflowX, overflowY, textOverflow, position } = style(one);
            const clips = [overflowX, overflowY].some((value) => value !== 'visible');
            if (clips) {
                const smaller = meet(part, one.getBoundingClientRect());
                const less =
                    smaller.left - part.left > TRACE ||
                    part.right - smaller.right > TRACE ||
                    smaller.top - part.top > TRACE ||
                    part.bottom - smaller.bottom > TRACE;
                const scrolls = [overflowX, overflowY].some((value) => ['auto', 'scroll'].includes(value));
                cut ||= less && !scrolls && textOverflow !== 'ellipsis';
                part = smaller;
                if (scrolls || textOverflow === 'ellipsis') {
                    return { part, cut };
                }
            }
            if (position === 'fixed') {
                break;
            }
        }
        const onScreen = meet(part, screen);
        return {
            part: onScreen,
            cut: cut || onScreen.right < part.right - TRACE || onScreen.left > part.left + TRACE,
        };
    }

    // Whether nothing with a background of its own lies over the middle of it.
    function isSeen(element, part) {
        const all = document.elementsFromPoint((part.left + part.right) / 2, (part.top + part.bottom) / 2);
        const own = all.findIndex((one) => element.contains(one) || one.contains(element));
        const paints = (one) =>
            /^rgb\(|, 0\.[5-9]\d*\)$/.test(style(one).backgroundColor) || one.matches('canvas, dialog');
        return own >= 0 && !all.slice(0, own).some(paints);
    }

    const faults = [];
    const seen = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const element = node.parentElement;
        const hidden = element.closest('script, style, noscript, option, .unseen');
        if (node.data.trim() === '' || hidden || !element.checkVisibility({ visibilityProperty: true })) {
            continue;
        }
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            const { part, cut } = visiblePart(element, box);
            if (cut) {
                faults.push(`cut off: ${name(node)}`);
            }
            if (!isSpot(part) && isSeen(element, part)) {
                seen.push({ node, part });
            }
        }
    }
    seen.forEach((one, i) => {
        for (const two of seen.slice(i + 1)) {
            if (one.node !== two.node && !isSpot(meet(one.part, two.part))) {
                faults.push(`over each other: ${name(one.node)} and ${name(two.node)}`);
            }
        }
    });
    if (document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth) {
        faults.push(`wider than the window: ${document.body.scrollWidth} px`);
    }
    return { faults, pieces: seen.length };
}

export async function layoutFaults(page) {
    // So that elements that let the pointer through are found as well.
    const style = await page.addStyleTag({ content: '* { pointer-events: auto !important; }' });
    const found = await page.evaluate(findFaults);
    await style.evaluate((element) => element.remove());
    return found;
}

// Controls and pictures without a name, by the accessibility tree.
const NAMED = new Set([
    'button',
    'checkbox',
    'combobox',
    'dialog',
    'image',
    'img',
    'link',
    'radio',
    'searchbox',
    'slider',
    'textbox',
]);

export async function namelessControls(page) {
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    await session.detach();
    const controls = nodes.filter((node) => !node.ignored && NAMED.has(node.role?.value));
    const nameless = controls.filter((node) => !node.name?.value?.trim());
    return { controls: controls.length, nameless: nameless.map((node) => node.role.value) };
}
