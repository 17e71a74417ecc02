import { type CDPSession, type Page } from 'playwright-core';

/** A visitor who uses only the keyboard, and knows only what the accessibility tree of the browser says. */

/** A page with more stops is a mistake of the test. */
const stopsMax = 250;
const editable = ['textbox', 'searchbox', 'spinbutton', 'Date', 'DateTime'];

export interface Stop {
  role: string;
  name: string;
  description: string;
}

export interface Keyboard {
  /** Activations so far: what is a click for a person with a mouse. */
  clicks(): number;
  /** Presses Tab until the element has the focus. */
  goTo(role: string, name: string | RegExp): Promise<Stop>;
  /** Goes to a link, a button or a summary, and presses Enter. */
  press(role: string, name: string | RegExp): Promise<void>;
  /** Goes to a field and types a text in place of its value. */
  type(name: string | RegExp, text: string): Promise<void>;
  /** Goes to a field, types a text, and sends the form by Enter. */
  send(name: string | RegExp, text: string): Promise<void>;
  /** Goes to a list and types the beginning of a choice: one letter, because a pause between two begins another choice. */
  choose(name: string | RegExp, choice: string): Promise<void>;
  /** Goes to a checkbox or a radio button and presses Space. */
  check(name: string | RegExp): Promise<void>;
  /** Goes past the menu by the first link of the page. */
  skip(): Promise<void>;
  /** What has the focus. */
  focus(): Promise<Stop>;
  /** The texts of the live regions that are not empty. */
  announced(): Promise<string[]>;
}

export async function useKeyboard(page: Page): Promise<Keyboard> {
  const session = await page.context().newCDPSession(page);
  let clicks = 0;
  const press = (key: string) => page.keyboard.press(key);
  const activate = async (key: string) => {
    clicks += 1;
    await press(key);
  };
  async function goTo(role: string, name: string | RegExp): Promise<Stop> {
    const seen: string[] = [];
    for (let stop = 0; stop < stopsMax; stop += 1) {
      await press('Tab');
      const found = await focusIn(session);
      if (matches(found, role, name)) return found;
      seen.push(`${found.role} “${found.name}”`);
    }
    throw new Error(`Tab does not reach ${role} ${String(name)}, but: ${[...new Set(seen)].join(', ')}`);
  }
  async function type(name: string | RegExp, text: string): Promise<void> {
    await goTo('field', name);
    await press('ControlOrMeta+a');
    await page.keyboard.type(text);
  }
  return {
    clicks: () => clicks,
    goTo,
    type,
    press: async (role, name) => {
      await goTo(role, name);
      await activate('Enter');
    },
    send: async (name, text) => {
      await type(name, text);
      await activate('Enter');
    },
    choose: async (name, choice) => {
      await goTo('combobox', name);
      clicks += 1;
      await page.keyboard.type(choice);
    },
    check: async (name) => {
      await goTo('choice', name);
      await activate('Space');
    },
    skip: async () => {
      await goTo('link', 'Skip to content');
      await press('Enter');
    },
    focus: () => focusIn(session),
    announced: () => announcedIn(session),
  };
}

const roles: Readonly<Record<string, readonly string[]>> = {
  field: editable,
  choice: ['checkbox', 'radio'],
  summary: ['DisclosureTriangle', 'DisclosureTriangleGrouped'],
};

function matches(stop: Stop, role: string, name: string | RegExp): boolean {
  const isRole = (roles[role] ?? [role]).includes(stop.role);
  return isRole && (typeof name === 'string' ? stop.name === name : name.test(stop.name));
}

interface Node {
  nodeId: string;
  childIds?: string[];
  role?: { value?: unknown };
  name?: { value?: unknown };
  description?: { value?: unknown };
  ignored: boolean;
  properties?: { name: string; value: { value?: unknown } }[];
}

/** Without the places where a long word may break. */
const textOf = (value: { value?: unknown } | undefined) =>
  typeof value?.value === 'string' ? value.value.replaceAll('\u200b', '') : '';

async function treeOf(session: CDPSession): Promise<Node[]> {
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  return nodes;
}

async function focusIn(session: CDPSession): Promise<Stop> {
  const focused = await session
    .send('Runtime.evaluate', { expression: 'document.activeElement' })
    .catch(whereAnotherPageArrives);
  if (!focused) return focusIn(session);
  const { objectId } = focused.result;
  if (objectId === undefined) return { role: 'none', name: '', description: '' };
  // The element disappears if another page arrives between the two questions.
  const found = await session
    .send('Accessibility.getPartialAXTree', { objectId, fetchRelatives: false })
    .catch(() => undefined);
  if (!found) return focusIn(session);
  const [node] = found.nodes;
  return { role: textOf(node?.role), name: textOf(node?.name), description: textOf(node?.description) };
}

/** Chromium refuses a question that another page interrupts. Any other refusal is an error. */
function whereAnotherPageArrives(error: unknown): undefined {
  if (!String(error).includes('Inspected target navigated')) throw error;
}

/** The words of a node and of those below it. */
function wordsOf(node: Node, nodes: ReadonlyMap<string, Node>): string {
  if (node.role?.value === 'StaticText') return textOf(node.name);
  return (node.childIds ?? []).map((id) => wordsOf(nodes.get(id) ?? { nodeId: id, ignored: true }, nodes)).join(' ');
}

async function announcedIn(session: CDPSession): Promise<string[]> {
  const tree = await treeOf(session);
  const nodes = new Map(tree.map((node) => [node.nodeId, node]));
  const live = tree.filter(
    ({ ignored, properties = [] }) =>
      !ignored &&
      properties.some(({ name, value }) => name === 'live' && ['polite', 'assertive'].includes(textOf(value))),
  );
  return live.map((node) => wordsOf(node, nodes).replace(/\s+/g, ' ').trim()).filter((words) => words !== '');
}
