import path from 'node:path';
import { readTree } from '../support/architecture';
import { reversedLocks } from '../support/lockOrder';

test('each transaction writes to the audit log before events, and locks subscriptions before cards', () => {
  expect(reversedLocks(readTree(path.join(__dirname, '../..')))).toEqual([]);
});

const head = `import { audit } from './audit/audit';
import { endSessions as end } from './accounts/tokens/tokens';
import { publish } from './notifications/publish';
import * as wakes from './webhooks/wakes';
import { lockLive } from './subscriptions/changes/changes';
import { writeOutcome } from './subscriptions/setups/setups.model';
import { transaction } from './adapters/postgres/connection';
import { tell } from './tell';`;

const reversedIn = (body: string) =>
  reversedLocks(
    new Map([
      ['src/rule.ts', `${head}\n${body}`],
      ['src/tell.ts', `import { publish } from './notifications/publish';\nexport const tell = () => publish();`],
    ]),
  );
const lineOfRule = 'src/rule.ts:9';
const inTransaction = (body: string) => `export const rule = () => transaction(async () => { ${body} });`;

test.each([
  ['an event', 'await publish(); await audit();'],
  ['the end of sessions, under another name', 'await end(); await audit();'],
  ['a wake, through its module', 'await wakes.enqueueWake(); await audit();'],
  ['an event of another function', 'await tell(); await audit();'],
  ['an event inside a loop', 'for (const row of rows) { await publish(); await audit(); }'],
  ['an event in the values of a call', 'await audit(await publish());'],
])('the check of locks reports %s before the audit log', (_name, body) => {
  expect(reversedIn(inTransaction(body))).toEqual([lineOfRule]);
});

test('the check of locks reports a card before its subscription', () => {
  expect(reversedIn(inTransaction('await writeOutcome(); await lockLive();'))).toEqual([lineOfRule]);
});

test.each([
  ['the right order', 'await audit(); await publish(); await end();'],
  ['a subscription before its card', 'await lockLive(); await writeOutcome(); await audit();'],
  ['a second entry of the same log', 'await audit(); await publish(); await audit();'],
  ['another transaction', 'await transaction(() => publish()); await transaction(() => audit());'],
])('the check of locks accepts %s', (_name, body) => {
  expect(reversedIn(inTransaction(body))).toEqual([]);
});
