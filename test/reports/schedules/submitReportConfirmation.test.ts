import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { auditOf } from '../../support/followers';
import {
  agreeToReports,
  answerQuestion,
  createSchedule,
  questionTokenOf,
  statesOf,
  stopTokenOf,
} from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (merchant = await createMerchant(app)));
afterAll(() => app.stop());

const stranger = 'Stranger@example.com';
const made = async (recipients: readonly string[], who = merchant) =>
  (await createSchedule(app, who, { recipients })).body.id;

test('200: the recipient agrees, for all reports of the merchant and for no other merchant', async () => {
  const other = await createMerchant(app);
  const ids = [await made([stranger]), await made(['stranger@example.com', 'desk@example.org'])] as const;
  const foreign = await made([stranger], other);
  const { status, body } = await answerQuestion(app, await questionTokenOf(app, merchant, stranger));
  expect([status, body.includes('You will receive the reports')]).toEqual([200, true]);
  expect(await statesOf(app, merchant, ids[0])).toEqual({ [stranger]: 'confirmed' });
  expect(await statesOf(app, merchant, ids[1])).toEqual({
    'stranger@example.com': 'confirmed',
    'desk@example.org': 'awaiting_confirmation',
  });
  expect(await statesOf(app, other, foreign)).toEqual({ [stranger]: 'awaiting_confirmation' });
  const entries = (await auditOf(app, merchant)).filter(({ action }) => action === 'report_schedule.confirm');
  expect(entries.map(({ object_id }) => object_id).sort()).toEqual(ids.map(String).sort());
});

test('200: the recipient declines, and the last answer counts', async () => {
  const id = await made([stranger]);
  const token = await questionTokenOf(app, merchant, stranger);
  const { status, body } = await answerQuestion(app, token, 'decline');
  expect([status, body.includes('The emails have stopped')]).toEqual([200, true]);
  expect(await statesOf(app, merchant, id)).toEqual({ [stranger]: 'stopped' });
  expect((await auditOf(app, merchant))[0]).toMatchObject({ action: 'report_schedule.stop' });
  await answerQuestion(app, token);
  expect(await statesOf(app, merchant, id)).toEqual({ [stranger]: 'confirmed' });
});

test('200: who has agreed and then stopped can use the link again', async () => {
  const id = await made([stranger]);
  await agreeToReports(app, merchant, [stranger]);
  await call(app, 'POST', `/reporting/stop/${await stopTokenOf(app, id, stranger)}`, {});
  expect(await statesOf(app, merchant, id)).toEqual({ [stranger]: 'stopped' });
  await agreeToReports(app, merchant, [stranger]);
  expect(await statesOf(app, merchant, id)).toEqual({ [stranger]: 'confirmed' });
});

test('404 report_schedule_not_found: an older question, and a changed link', async () => {
  const id = await made([stranger]);
  const token = await questionTokenOf(app, merchant, stranger);
  await app.pool.query(`UPDATE report_recipients SET asked_at = asked_at - interval '30 days' WHERE merchant_id = $1`, [
    merchant.id,
  ]);
  expect((await answerQuestion(app, token)).status).toBe(404);
  expect((await answerQuestion(app, 'x')).status).toBe(404);
  expect(await statesOf(app, merchant, id)).toEqual({ [stranger]: 'awaiting_confirmation' });
});

test('422 invalid_input: an unknown answer, and 400 for none', async () => {
  const id = await made([stranger]);
  const token = await questionTokenOf(app, merchant, stranger);
  expect((await answerQuestion(app, token, 'yes')).status).toBe(422);
  expect((await answerQuestion(app, token, '')).status).toBe(400);
  expect(await statesOf(app, merchant, id)).toEqual({ [stranger]: 'awaiting_confirmation' });
});
