import { fileOf, importFile, newAddresses } from '../../support/customerFiles';
import { call } from '../../support/client';
import { createMerchant, password, type Person } from '../../support/factories';
import { tokenIn } from '../../support/mailbox';
import { type MailServer, startMailServer } from '../../support/mailServer';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** An import of more customers than the merchant may send mails to on a day. */

let app: TestApp;
let mailServer: MailServer;
let merchant: Person;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url, MAIL_BUDGETS: '0:3,1:5,7:8' });
  merchant = await createMerchant(app);
});
afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

interface Invitation {
  recipient: string;
  isSent: boolean;
  isPostponed: boolean;
}

/** A mail that is being delivered has another time. */
const tomorrow = `(is_postponed AND available_at = ((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC')`;

/** The invitations, once each of them is sent or waits for another day. */
const invitations = () =>
  until(async () => {
    const { rows } = await app.pool.query<Invitation & { isOpen: boolean }>(
      `SELECT recipient, sent_at IS NOT NULL AS "isSent", sent_at IS NULL AND ${tomorrow} AS "isPostponed",
         sent_at IS NULL AND NOT ${tomorrow} AS "isOpen"
       FROM mails WHERE merchant_id = $1 AND template = 'activation' AND account_id <> $1 ORDER BY recipient`,
      [merchant.id],
    );
    return rows.every(({ isOpen }) => !isOpen) && rows;
  });
const countOf = (mails: readonly Invitation[], what: 'isSent' | 'isPostponed') =>
  mails.filter((mail) => mail[what]).length;

/** As if the UTC day had changed: the uses were yesterday, and the waiting mails are due. */
async function changeDay(): Promise<void> {
  await app.pool.query('UPDATE mail_uses SET day = day - 1 WHERE merchant_id = $1', [merchant.id]);
  await app.pool.query(
    'UPDATE mails SET available_at = now() WHERE merchant_id = $1 AND sent_at IS NULL AND is_postponed',
    [merchant.id],
  );
}

test('200: invitations above the budget wait for later days, and each is sent once with a link that works', async () => {
  const addresses = newAddresses(7);
  const { status, body } = await importFile(app, merchant, fileOf(['email'], ...addresses.map((email) => [email])));
  expect([status, body.new_customers, body.mails]).toEqual([200, 7, 7]);
  const first = await invitations();
  expect([first.length, countOf(first, 'isSent'), countOf(first, 'isPostponed')]).toEqual([7, 3, 4]);
  await changeDay();
  const second = await invitations();
  expect([countOf(second, 'isSent'), countOf(second, 'isPostponed')]).toEqual([6, 1]);
  await changeDay();
  const third = await invitations();
  expect([countOf(third, 'isSent'), countOf(third, 'isPostponed')]).toEqual([7, 0]);
  expect(third.map(({ recipient }) => recipient)).toEqual(addresses.toSorted());
  const received = mailServer.received.filter(({ recipients: [to = ''] }) => addresses.includes(to));
  expect(received.map(({ recipients: [to] }) => to).toSorted()).toEqual(addresses.toSorted());
  // The links are valid: they ask for the password, which each customer sets first.
  for (const mail of received) {
    const { body: asked } = await call(app, 'PUT', `/accounts/activate/${tokenIn(mail)}`, { password });
    expect(asked).toMatchObject({ error: 'wrong_password' });
  }
});

test('200: an import with a used-up budget creates the customers, and another import sends no second invitation', async () => {
  await changeDay();
  const addresses = newAddresses(3);
  const csv = fileOf(['email'], ...addresses.map((email) => [email]));
  await app.pool.query(
    `INSERT INTO mail_uses (merchant_id, day, ordinary, security) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 3, 3)
     ON CONFLICT (merchant_id, day) DO UPDATE SET ordinary = 3, security = 3`,
    [merchant.id],
  );
  expect((await importFile(app, merchant, csv)).body).toMatchObject({ new_customers: 3, mails: 3 });
  expect((await importFile(app, merchant, csv)).body).toMatchObject({ new_customers: 0, mails: 0 });
  const waiting = (await invitations()).filter(({ recipient }) => addresses.includes(recipient));
  expect([waiting.length, countOf(waiting, 'isPostponed')]).toEqual([3, 3]);
  const { body } = await call<{ total: number }>(app, 'GET', '/accounts/registered-users', undefined, merchant);
  expect(body.total).toBe(10);
  await changeDay();
  const sent = (await invitations()).filter(({ recipient }) => addresses.includes(recipient));
  expect(countOf(sent, 'isSent')).toBe(3);
});
