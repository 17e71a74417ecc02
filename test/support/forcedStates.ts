import { type CDPSession, type Page } from 'playwright-core';

/** The states of a page's parts that a pointer or the keyboard brings about. */

export type ForcedState = 'hover' | 'focus';

/** The pointer is over the parents of an element too. Only what takes the focus is focused. */
const elements = {
  hover: 'section[id] *',
  focus: 'section[id] :is(a, button, input, select, textarea, summary, [tabindex])',
};
const classes = { hover: ['hover'], focus: ['focus', 'focus-visible', 'focus-within'] };

/** Reads a page while the browser treats all of its elements as if they were in the state at once. */
export async function inState<Result>(page: Page, state: ForcedState, read: () => Promise<Result>): Promise<Result> {
  const session = await page.context().newCDPSession(page);
  try {
    const force = { forcedPseudoClasses: classes[state] };
    const nodeIds = await nodesOf(session, elements[state]);
    await Promise.all(nodeIds.map((nodeId) => session.send('CSS.forcePseudoState', { nodeId, ...force })));
    return await read();
  } finally {
    // The states end with the session.
    await session.detach();
  }
}

async function nodesOf(session: CDPSession, selector: string): Promise<number[]> {
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeIds } = await session.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
  return nodeIds;
}
