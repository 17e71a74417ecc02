import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { mailsTo } from '../../support/mailbox';
import {
  agreeToReports,
  answerQuestion,
  createSchedule,
  questionTokenOf,
  type Schedule,
  statesOf,
  stopTokenOf,
} from '../../support/reportSchedules';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** Whom a merchant can have reports mailed to, and when it asks. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (merchant = await createMerchant(app)));
afterAll(() => app.stop());

const stranger = 'stranger@example.com';

const made = async (recipients: readonly string[], who = merchant) =>
  (await createSchedule(app, who, { recipients })).body.id;
const update = (id: number, fields: Record<string, unknown>, who = merchant) =>
  call<Schedule>(app, 'PATCH', `/reporting/schedules/${id}`, fields, who);
const questionsTo = async (to: string, who = merchant) =>
  (await mailsTo(app, who, to)).filter(({ template }) => template === 'report_confirmation').length;
const stop = async (id: number, to: string) =>
  call(app, 'POST', `/reporting/stop/${await stopTokenOf(app, id, to)}`, {});
const prove = (person: Person) => app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [person.id]);

/** As if the time had passed since the question and the answer. */
const pass = (days: number) =>
  app.pool.query(
    `UPDATE report_recipients SET asked_at = asked_at - make_interval(days => $2),
       stopped_at = stopped_at - make_interval(days => $2) WHERE merchant_id = $1`,
    [merchant.id, days],
  );

test('201: the merchant and its staff are not asked, in any spelling of their addresses', async () => {
  const member = await createStaff(app, merchant, { role: 'admin' });
  await prove(merchant);
  const recipients = [merchant.email.toUpperCase(), member.email];
  const id = await made(recipients);
  expect(Object.values(await statesOf(app, merchant, id))).toEqual(['confirmed', 'confirmed']);
  for (const to of recipients) expect(await questionsTo(to)).toBe(0);
});

test('201: an address of a merchant that nobody has proved, a follower and a customer are asked', async () => {
  const follower = await createFollower(app, merchant, ['reports:read']);
  const customer = await createConsumer(app, merchant);
  for (const person of [follower, customer]) await prove(person);
  const recipients = [merchant, follower, customer].map(({ email }) => email);
  const id = await made(recipients);
  expect(Object.values(await statesOf(app, merchant, id))).toEqual(Array(3).fill('awaiting_confirmation'));
  for (const to of recipients) expect(await questionsTo(to)).toBe(1);
});

test('201: the staff of another merchant is asked', async () => {
  const foreign = await createStaff(app, await createMerchant(app), { role: 'admin' });
  expect(Object.values(await statesOf(app, merchant, await made([foreign.email])))).toEqual(['awaiting_confirmation']);
});

test('201: one question for many schedules and changes; a new one after 30 days', async () => {
  const id = await made([stranger]);
  await made([stranger.toUpperCase()]);
  await update(id, { recipients: ['desk@example.org'] });
  await update(id, { recipients: [stranger] });
  expect(await questionsTo(stranger)).toBe(1);
  await pass(29);
  await update(id, { recipients: [stranger] });
  expect(await questionsTo(stranger)).toBe(1);
  await pass(1);
  await update(id, { cadence: 'weekly' });
  expect(await questionsTo(stranger)).toBe(1);
  await update(id, { recipients: [stranger] });
  expect(await questionsTo(stranger)).toBe(2);
});

test('201: of many requests at once, one asks', async () => {
  await Promise.all(Array.from({ length: 10 }, () => made([stranger])));
  expect(await questionsTo(stranger)).toBe(1);
});

test('200: who has agreed is not asked again', async () => {
  const id = await made([stranger]);
  await agreeToReports(app, merchant, [stranger]);
  await pass(400);
  await update(id, { recipients: [stranger] });
  expect(await statesOf(app, merchant, id)).toEqual({ [stranger]: 'confirmed' });
  expect(await questionsTo(stranger)).toBe(1);
});

test.each(['stops', 'declines'])('200: who %s stays stopped, and is not asked for a year', async (how) => {
  const id = await made([stranger]);
  const token = await questionTokenOf(app, merchant, stranger);
  await answerQuestion(app, token, how === 'stops' ? 'confirm' : 'decline');
  if (how === 'stops') expect((await stop(id, stranger)).status).toBe(200);
  await update(id, { recipients: ['desk@example.org'] });
  await update(id, { recipients: [stranger] });
  await call(app, 'DELETE', `/reporting/schedules/${id}`, undefined, merchant);
  const next = await made(['STRANGER@example.com']);
  expect(await statesOf(app, merchant, next)).toEqual({ 'STRANGER@example.com': 'stopped' });
  await pass(364);
  await update(next, { recipients: [stranger] });
  expect([await statesOf(app, merchant, next), await questionsTo(stranger)]).toEqual([{ [stranger]: 'stopped' }, 1]);
  await pass(1);
  await update(next, { recipients: [stranger] });
  expect([await statesOf(app, merchant, next), await questionsTo(stranger)]).toEqual([
    { [stranger]: 'awaiting_confirmation' },
    2,
  ]);
  expect((await answerQuestion(app, token)).status).toBe(404);
});

test('200: a member of the staff who has stopped comes back only by the own hand', async () => {
  const member = await createStaff(app, merchant, { role: 'admin' });
  await prove(merchant);
  const id = await made([member.email]);
  expect((await stop(id, member.email)).status).toBe(200);
  await update(id, { recipients: [member.email] });
  expect(await statesOf(app, merchant, id)).toEqual({ [member.email]: 'stopped' });
  await update(id, { recipients: [member.email] }, member);
  expect(await statesOf(app, merchant, id)).toEqual({ [member.email]: 'confirmed' });
});

test('201: the question counts in the mail budget of the merchant', async () => {
  await made([stranger]);
  const { admitMail } = await import('../../../src/mail/budgets.js');
  const { rows } = await app.pool.query<{ id: number }>(
    `SELECT id FROM mails WHERE merchant_id = $1 AND template = 'report_confirmation'`,
    [merchant.id],
  );
  const used = async () =>
    (await app.pool.query<{ n: number }>('SELECT ordinary AS n FROM mail_uses WHERE merchant_id = $1', [merchant.id]))
      .rows[0]?.n ?? 0;
  const before = await used();
  expect(await admitMail(rows[0]?.id ?? 0)).toBe(true);
  expect(await used()).toBe(before + 1);
});

const many = (count: number, name = 'reader') => Array.from({ length: count }, (_, n) => `${name}${n}@example.com`);

test('409 report_recipient_limit_reached: the twenty-first new recipient in 24 hours', async () => {
  await made(many(10));
  await made([...many(9, 'other'), merchant.email]);
  const refused = await createSchedule(app, merchant, { recipients: ['last@example.com'] });
  expect(refused).toMatchObject({ status: 409, body: { error: 'report_recipient_limit_reached' } });
  expect(await questionsTo('last@example.com')).toBe(0);
  expect((await createSchedule(app, merchant, { recipients: many(10) })).status).toBe(201);
  await pass(1);
  expect((await createSchedule(app, merchant, { recipients: ['last@example.com'] })).status).toBe(201);
});

test('409 report_recipient_limit_reached: also of many requests at once', async () => {
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => createSchedule(app, merchant, { recipients: many(8, name) })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
});
