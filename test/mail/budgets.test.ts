import { call } from '../support/client';
import { createFollower } from '../support/followers';
import { createConsumer, createMerchant, password, type Person } from '../support/factories';
import { tokenIn } from '../support/mailbox';
import { type MailServer, smtpError, startMailServer } from '../support/mailServer';
import { openOperator, type Operator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let mailServer: MailServer;
let operator: Operator;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url, MAIL_BUDGETS: '0:3,1:5,7:8' });
  operator = await openOperator(app);
});

afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

afterEach(() => {
  mailServer.misbehave = undefined;
});

let names = 0;

type Template = 'gift' | 'pin_code';

/** Queues mails of a merchant to strangers, and waits until each is sent, postponed or given up. */
/** `accountId`: the mails are about this account. `isTyped`: to an address that is not the account's own. */
async function queue(
  merchant: Pick<Person, 'id'>,
  count: number,
  template: Template = 'gift',
  { accountId, isTyped = false }: { accountId?: number; isTyped?: boolean } = {},
) {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { queueMail } = await import('../../src/mail/mail.js');
  const series = `series-${(names += 1)}`;
  const values = { gift: { code: 'C', itemTitle: 'T', offer: 'O' }, pin_code: { code: '1234' } }[template];
  const own = `${series}-0@example.org`;
  if (accountId !== undefined && !isTyped)
    await app.pool.query('UPDATE accounts SET email = $2 WHERE id = $1', [accountId, own]);
  await transaction(async (inTransaction) => {
    for (let nth = 1; nth <= count; nth += 1) {
      const to = accountId === undefined || isTyped ? `${series}-${nth}@example.org` : own;
      const about = accountId === undefined ? {} : { accountId };
      await queueMail(inTransaction, { merchantId: merchant.id, to, template, values, ...about });
    }
  });
  return settled(series);
}

/** How many mails to such addresses were sent, and how many wait for another day. */
async function settled(series: string) {
  return until(async () => {
    const { rows } = await app.pool.query<{ sent: number; waiting: number; open: number }>(
      `SELECT count(*) FILTER (WHERE sent_at IS NOT NULL)::int AS sent,
         count(*) FILTER (WHERE sent_at IS NULL AND is_postponed AND available_at > now() AND admitted_at IS NULL)::int AS waiting,
         count(*) FILTER (WHERE sent_at IS NULL AND parked_at IS NULL AND NOT (is_postponed AND available_at > now()))::int AS open
       FROM mails WHERE recipient LIKE $1 || '-%'`,
      [series],
    );
    const [{ open, ...counted } = { open: 1, sent: 0, waiting: 0 }] = rows;
    return open === 0 && counted;
  });
}

const ageTo = (merchant: Person, age: string) =>
  app.pool.query(`UPDATE accounts SET created_at = now() - $2::interval WHERE id = $1`, [merchant.id, age]);

/** As if the UTC day had changed: the uses were yesterday, and the waiting mails are due. */
async function changeDay(merchant: Person) {
  await app.pool.query('UPDATE mail_uses SET day = day - 1 WHERE merchant_id = $1', [merchant.id]);
  await app.pool.query(
    'UPDATE mails SET available_at = now() WHERE merchant_id = $1 AND sent_at IS NULL AND is_postponed',
    [merchant.id],
  );
}

/** Resolves when each mail of the merchant is sent or waits for the next UTC day: none is being delivered. */
const rests = (merchant: Person) =>
  until(async () => {
    const { rows } = await app.pool.query(
      `SELECT FROM mails WHERE merchant_id = $1 AND sent_at IS NULL
         AND available_at <> ((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC'`,
      [merchant.id],
    );
    return rows.length === 0;
  });

const sentOf = async (merchant: Person) => {
  const { rows } = await app.pool.query<{ sent: number }>(
    'SELECT count(*)::int AS sent FROM mails WHERE merchant_id = $1 AND sent_at IS NOT NULL AND admitted_at IS NOT NULL',
    [merchant.id],
  );
  return rows[0]?.sent;
};

interface Budget {
  mail_budget: Record<string, unknown>;
}
const budgetOf = async ({ id }: Pick<Person, 'id'>) =>
  (await call<Budget>(app, 'GET', `/operator/merchants/${id}`, undefined, operator)).body.mail_budget;

describe('a day', () => {
  test('the last mail of the budget is sent, and the next one waits', async () => {
    const merchant = await createMerchant(app);
    expect(await queue(merchant, 3)).toEqual({ sent: 3, waiting: 0 });
    expect(await queue(merchant, 1)).toEqual({ sent: 0, waiting: 1 });
    const { rows } = await app.pool.query<{ midnight: boolean; useful: boolean }>(
      `SELECT available_at = (((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC') AS midnight,
         useful_until > available_at + interval '6 days' AS useful FROM mails WHERE merchant_id = $1 AND is_postponed`,
      [merchant.id],
    );
    expect(rows).toEqual([{ midnight: true, useful: true }]);
  });

  test('what waits is sent on the next days, and nothing is lost', async () => {
    const merchant = await createMerchant(app);
    expect(await queue(merchant, 8)).toEqual({ sent: 3, waiting: 5 });
    for (const sent of [6, 8]) {
      await changeDay(merchant);
      await rests(merchant);
      expect(await sentOf(merchant)).toBe(sent);
    }
    expect((await budgetOf(merchant))['used']).toBe(2);
  });

  test('a mail that is refused before midnight and postponed after it is sent on the new day', async () => {
    const merchant = await createMerchant(app);
    expect(await queue(merchant, 4)).toEqual({ sent: 3, waiting: 1 });
    const { rows } = await app.pool.query<{ id: number; usefulUntil: Date; refusedOn: string }>(
      `SELECT id, useful_until AS "usefulUntil", ((now() AT TIME ZONE 'UTC')::date - 1)::text AS "refusedOn" FROM mails
       WHERE merchant_id = $1 AND is_postponed`,
      [merchant.id],
    );
    const [{ id, refusedOn, usefulUntil } = { id: 0, refusedOn: '', usefulUntil: undefined }] = rows;
    await app.pool.query('UPDATE mail_uses SET day = day - 1 WHERE merchant_id = $1', [merchant.id]);
    const { postponeMails } = await import('../../src/mail/budgets.js');
    await postponeMails(id, refusedOn);
    await rests(merchant);
    expect(await sentOf(merchant)).toBe(4);
    const after = await app.pool.query('SELECT useful_until FROM mails WHERE id = $1', [id]);
    expect(after.rows).toEqual([{ useful_until: usefulUntil }]);
  });

  test('several who deliver at once do not exceed the budget', async () => {
    const merchant = await createMerchant(app);
    const { deliverMails } = await import('../../src/mail/delivery.js');
    const [counted] = await Promise.all([queue(merchant, 12), ...[1, 2, 3, 4].map(() => deliverMails())]);
    expect(counted).toEqual({ sent: 3, waiting: 9 });
  });

  test('a mail that is tried again counts once', async () => {
    const merchant = await createMerchant(app);
    const met = new Set<string>();
    mailServer.misbehave = ({ recipients: [to = ''] }) => {
      if (!to.startsWith('series-') || met.has(to)) return;
      met.add(to);
      throw smtpError(451, 'try again later');
    };
    expect(await queue(merchant, 3)).toEqual({ sent: 3, waiting: 0 });
    expect(await budgetOf(merchant)).toMatchObject({ used: 3, limit: 3 });
  });

  test('another merchant is not affected', async () => {
    await queue(await createMerchant(app), 4);
    expect(await queue(await createMerchant(app), 3)).toEqual({ sent: 3, waiting: 0 });
  });

  test('a follower uses the budget of its master', async () => {
    const merchant = await createMerchant(app);
    const follower = await createFollower(app, merchant, []);
    expect(await queue(follower, 2)).toEqual({ sent: 2, waiting: 0 });
    expect(await queue(merchant, 2)).toEqual({ sent: 1, waiting: 1 });
    expect(await budgetOf(follower)).toMatchObject({ used: 3, limit: 3 });
  });

  test('a mail to the merchant itself does not count', async () => {
    const merchant = await createMerchant(app);
    await queue(merchant, 4);
    expect(await queue(merchant, 2, 'gift', { accountId: merchant.id, isTyped: true })).toEqual({
      sent: 2,
      waiting: 0,
    });
  });
});

describe('growth', () => {
  test.each([
    ['23 hours 59 minutes', 3],
    ['24 hours', 5],
    ['6 days 23 hours 59 minutes', 5],
    ['7 days', 8],
    ['900 days', 8],
  ])('a merchant of %s: %i mails a day', async (age, limit) => {
    const merchant = await createMerchant(app);
    await ageTo(merchant, age);
    expect((await budgetOf(merchant))['limit']).toBe(limit);
    expect(await queue(merchant, limit + 1)).toEqual({ sent: limit, waiting: 1 });
  });

  test('the age begins again with the end of a suspension', async () => {
    const merchant = await createMerchant(app);
    await ageTo(merchant, '40 days');
    const path = `/operator/merchants/${merchant.id}`;
    await call(app, 'POST', `${path}/suspend`, { reason: 'Mails to strangers' }, operator);
    await call(app, 'POST', `${path}/resume`, undefined, operator);
    expect((await budgetOf(merchant))['limit']).toBe(3);
  });

  test.each([
    ['9 refused of 20', 20, 9, 8],
    ['10 refused of 199', 199, 10, 3],
    ['10 refused of 200: 5 %', 200, 10, 8],
  ])('%s', async (_title, used, refused, limit) => {
    const merchant = await createMerchant(app);
    await ageTo(merchant, '40 days');
    await app.pool.query(
      `INSERT INTO mail_uses (merchant_id, day, ordinary, refused) VALUES ($1, (now() AT TIME ZONE 'UTC')::date - 6, $2, $3)`,
      [merchant.id, used, refused],
    );
    expect(await budgetOf(merchant)).toMatchObject({ limit, refused, is_in_good_standing: limit === 8 });
    await app.pool.query('UPDATE mail_uses SET day = day - 1 WHERE merchant_id = $1', [merchant.id]);
    expect(await budgetOf(merchant)).toMatchObject({ limit: 8, refused: 0 });
  });

  test('a mail that a server refuses for good counts against the merchant', async () => {
    const merchant = await createMerchant(app);
    mailServer.misbehave = ({ recipients: [to = ''] }) => {
      if (to.startsWith('series-')) throw smtpError(550, 'no such mailbox');
    };
    await queue(merchant, 2);
    expect(await budgetOf(merchant)).toMatchObject({ used: 2, refused: 2 });
  });
});

describe('security mails', () => {
  test('they are sent although the budget of other mails is used up', async () => {
    const merchant = await createMerchant(app);
    expect(await queue(merchant, 5)).toEqual({ sent: 3, waiting: 2 });
    expect(await queue(merchant, 3, 'pin_code')).toEqual({ sent: 3, waiting: 0 });
    expect(await queue(merchant, 1, 'pin_code')).toEqual({ sent: 0, waiting: 1 });
    expect(await budgetOf(merchant)).toMatchObject({ used: 3, security_used: 3, waiting: 3 });
  });

  test('those to a mailbox that its owner has proved have no limit', async () => {
    const merchant = await createMerchant(app);
    const consumer = await createConsumer(app, merchant);
    await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [consumer.id]);
    expect(await queue(merchant, 9, 'pin_code', { accountId: consumer.id })).toEqual({ sent: 9, waiting: 0 });
    // A customer can request a mail to any address, for a change of its own.
    const typed = { accountId: consumer.id, isTyped: true };
    expect(await queue(merchant, 4, 'pin_code', typed)).toEqual({ sent: 3, waiting: 1 });
  });

  test('they do not wait behind many other mails', async () => {
    const merchant = await createMerchant(app);
    const other = await createMerchant(app);
    await app.pool.query(
      `INSERT INTO mails (merchant_id, recipient, template, language, useful_until, available_at)
       SELECT $1, 'bulk@example.org', 'gift', 'en', now() + interval '1 day', now() - interval '1 hour'
       FROM generate_series(1, 400)`,
      [merchant.id],
    );
    expect(await queue(other, 1, 'pin_code')).toEqual({ sent: 1, waiting: 0 });
    // The whole surplus is postponed at once, after a batch at most. The batch runs beside the delivery of the code.
    await until(async () => {
      const { rows } = await app.pool.query<{ left: number }>(
        `SELECT count(*)::int AS left FROM mails WHERE merchant_id = $1 AND parked_at IS NULL AND NOT is_postponed
           AND recipient = 'bulk@example.org'`,
        [merchant.id],
      );
      return (rows[0]?.left ?? 400) < 20;
    });
  });
});

describe('the links of a mail that has waited', () => {
  async function waitingActivation() {
    const merchant = await createMerchant(app);
    await queue(merchant, 3);
    const consumer = await createConsumer(app, merchant);
    await until(async () => {
      const { rows } = await app.pool.query('SELECT FROM mails WHERE account_id = $1 AND is_postponed', [consumer.id]);
      return rows.length === 1;
    });
    return { merchant, consumer };
  }

  const arrives = (to: string) => until(() => mailServer.received.find(({ recipients }) => recipients.includes(to)));

  test('an activation works although its token had expired and was deleted', async () => {
    const { merchant, consumer } = await waitingActivation();
    await app.pool.query('DELETE FROM mailed_tokens WHERE account_id = $1', [consumer.id]);
    await changeDay(merchant);
    const token = tokenIn(await arrives(consumer.email));
    expect(await call(app, 'PUT', `/accounts/activate/${token}`, { password })).toMatchObject({ status: 201 });
  });

  test('an activation that a newer one has replaced is not sent', async () => {
    const { merchant, consumer } = await waitingActivation();
    await app.pool.query(`UPDATE mailed_tokens SET token_hash = 'newer' WHERE account_id = $1`, [consumer.id]);
    await changeDay(merchant);
    const parked = await until(async () => {
      const { rows } = await app.pool.query(
        'SELECT last_error FROM mails WHERE account_id = $1 AND parked_at < now()',
        [consumer.id],
      );
      return rows[0] as unknown;
    });
    expect(parked).toEqual({ last_error: 'replaced by a newer mail' });
  });

  test('a link to a payment is valid for seven days from the day of the mail', async () => {
    const { payUrl, renewMailLinks } = await import('../../src/subscriptions/mailLinks/links.js');
    const { findOwedPayment } = await import('../../src/subscriptions/mailLinks/payLinks.js');
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 8 * 86_400_000);
    const outdated = payUrl({ id: 1, cycle: 2 });
    now.mockRestore();
    const { payUrl: renewed } = renewMailLinks({ payUrl: outdated });
    expect(renewed).not.toBe(outdated);
    expect(await findOwedPayment(renewed.slice(renewed.lastIndexOf('/') + 1))).toBeUndefined();
    const other = { payUrl: 'https://example.org/other' };
    expect(renewMailLinks(other)).toEqual(other);
  });
});
