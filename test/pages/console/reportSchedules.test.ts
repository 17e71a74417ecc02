import { createMerchant, type Person } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { agreeToReports, answerQuestion, createSchedule, questionTokenOf } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';

/** The reports that are mailed, as a merchant manages them in the console. */

let app: TestApp;
let merchant: Person;
let walker: PageWalker;
const address = '/console/reports/schedules';

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
  walker = await enterConsole(app, merchant.email);
  await walker.open(address);
});

afterAll(() => app.stop());

const fields = { report: 'mrr', cadence: 'weekly', time_zone: 'Asia/Tokyo', language: 'ar' };

/** The recipients on a page, each with its badge. */
const answersIn = (page: string) =>
  [...page.matchAll(/<li>\s*(\S+@\S+)\s*<span class="badge \w+">([^<]+)<\/span>/g)].map(
    ([, recipient, answer]) => `${recipient}: ${answer}`,
  );

test('the list and the page of a report show what each recipient has answered', async () => {
  const recipients = ['a@example.org', 'b@example.org', 'c@example.org'];
  const { id } = (await createSchedule(app, merchant, { recipients })).body;
  await agreeToReports(app, merchant, ['b@example.org']);
  await answerQuestion(app, await questionTokenOf(app, merchant, 'c@example.org'), 'decline');
  for (const page of [address, `${address}/${id}`])
    expect(answersIn((await walker.open(page)).text)).toEqual([
      'a@example.org: Awaiting confirmation',
      'b@example.org: Confirmed',
      'c@example.org: Stopped by the recipient',
    ]);
});

test('a report is mailed, to others, and no more', async () => {
  const made = await walker.submit(address, { ...fields, recipients: 'a@example.org, b@example.org' });
  expect(made).toMatchObject({ status: 303 });
  const { text } = await walker.open(address);
  expect(answersIn(text)).toEqual(['a@example.org: Awaiting confirmation', 'b@example.org: Awaiting confirmation']);
  expect(text).toContain('9:00, Asia/Tokyo');
  const own = new RegExp(`${address}/\\d+`).exec(text)?.[0] ?? '';
  expect((await walker.open(own)).text).toContain('value="a@example.org, b@example.org"');
  expect((await walker.submit(own, { ...fields, recipients: 'c@example.org' })).status).toBe(303);
  expect((await walker.open(address)).text).toContain('c@example.org');
  expect((await walker.submit(`${own}/delete`)).status).toBe(303);
  expect((await walker.open(address)).text).not.toContain('c@example.org');
});

test('what is wrong is said beside its field, and what was typed stays', async () => {
  const refused = await walker.submit(address, { ...fields, time_zone: 'Nowhere', recipients: 'a@example.org' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('value="Nowhere"');
  expect(refused.text).toContain('aria-invalid="true"');
});
