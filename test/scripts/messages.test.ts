import { randomUUID } from 'node:crypto';
import { insertRefused } from '../support/operators';
import { runScript } from '../support/scripts';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** The commands about refused messages, as an operator runs them. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const run = (...input: string[]) => runScript('messages.js', input);

const leaves = (id: number) =>
  until(async () => (await app.pool.query('SELECT FROM outbox WHERE id = $1', [id])).rows.length === 0);

test('messages are listed with the reason, sent again one by one or all, and deleted', async () => {
  expect((await run('list')).said).toBe('Refused messages: 0.\n');
  const workflowId = `subscription-${randomUUID()}`;
  const first = await insertRefused(app, workflowId);
  const second = await insertRefused(app);
  const third = await insertRefused(app);
  const { said } = await run('list');
  expect(said).toContain(`${first}  wake ${workflowId}: refused 10 times, last 20`);
  expect(said).toContain(': Namespace paywall is not found\n');
  expect(said).toMatch(/Refused messages: 3\.\n$/);
  expect(await run('send', String(first))).toEqual({ code: 0, said: 'The message is sent again.\n' });
  await leaves(first);
  expect(await run('discard', String(second))).toEqual({ code: 0, said: 'The message is deleted.\n' });
  expect(await run('send', 'all')).toEqual({ code: 0, said: 'Messages that are sent again: 1.\n' });
  await leaves(third);
  expect((await run('list')).said).toBe('Refused messages: 0.\n');
});

test.each([
  [['send', '2000000000'], 'No refused message has the id 2000000000.'],
  [['discard', '2000000000'], 'No refused message has the id 2000000000.'],
  [['discard', 'all'], 'npm run messages:discard -- 42'],
  [['send'], 'npm run messages:send -- 42'],
  [['resend', '42'], 'npm run messages:list'],
  [['send', '1; DROP TABLE outbox'], 'npm run messages:send -- 42'],
])('%j is refused with what to do', async (input, sentence) => {
  expect(await run(...input)).toEqual({ code: 1, said: expect.stringContaining(sentence) as string });
});
