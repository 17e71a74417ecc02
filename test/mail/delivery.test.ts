import { findFreePort } from '../../scripts/embedded/ports';
import { call } from '../support/client';
import { createConsumer, createMerchant, password, type Person } from '../support/factories';
import { tokenIn } from '../support/mailbox';
import { type MailServer, type ReceivedMail, smtpError, startMailServer } from '../support/mailServer';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let mailServer: MailServer;

beforeAll(async () => {
  // It starts again at its port, which the system must not give to another program meanwhile.
  mailServer = await startMailServer(await findFreePort());
  app = await startApp({ SMTP_URL: mailServer.url, MAIL_FROM: 'news@mail.example.org' });
});

afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

afterEach(() => {
  mailServer.misbehave = undefined;
});

/** Mails of other tests can be in progress too. `act` handles the first attempt of each. */
function onceForEach(act: (mail: ReceivedMail) => void) {
  const met = new Set<string>();
  return (mail: ReceivedMail) => {
    const id = mail.messageId ?? '';
    if (met.has(id)) return;
    met.add(id);
    act(mail);
  };
}

const arrives = (to: string) => until(() => mailServer.received.find(({ recipients }) => recipients.includes(to)));

/** The first mail of a merchant that meets a condition. */
const mailOf = (merchant: Person, condition: string) =>
  until(async () => {
    const query = `SELECT * FROM mails WHERE merchant_id = $1 AND ${condition}`;
    return (await app.pool.query<Record<string, unknown>>(query, [merchant.id])).rows[0];
  });

test('a mail arrives from the merchant’s name, as text and as HTML, and its link works', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query(`UPDATE accounts SET full_name = 'Žürich Näws' WHERE id = $1`, [merchant.id]);
  const consumer = await createConsumer(app, merchant);
  const mail = await arrives(consumer.email);
  expect(mail.from).toMatchObject({ name: 'Žürich Näws', address: 'news@mail.example.org' });
  expect(mail).toMatchObject({ subject: 'Activate your account at Žürich Näws', recipients: [consumer.email] });
  const token = tokenIn(mail);
  expect(mail.html).toContain(`href="http://paywall.test/accounts/activate/${token}"`);
  const activated = await call(app, 'PUT', `/accounts/activate/${token}`);
  expect(activated).toMatchObject({ status: 201, body: { uuid: consumer.uuid } });
});

test('a delivered mail leaves nothing of what it said', async () => {
  const merchant = await createMerchant(app);
  await arrives(merchant.email);
  expect(await mailOf(merchant, 'sent_at IS NOT NULL')).toMatchObject({
    sealed_values: null,
    recipient: merchant.email,
    attempts: 0,
  });
});

test('a server that is busy is tried again', async () => {
  mailServer.misbehave = onceForEach(() => {
    throw smtpError(451, 'try again later');
  });
  const merchant = await createMerchant(app);
  const mail = await arrives(merchant.email);
  const { rows } = await app.pool.query<{ message_id: string; attempts: number; last_error: string }>(
    'SELECT message_id, attempts, last_error FROM mails WHERE merchant_id = $1',
    [merchant.id],
  );
  expect(rows).toEqual([{ message_id: expect.any(String) as string, attempts: 1, last_error: 'EMESSAGE 451' }]);
  expect(mail.messageId).toBe(`<${rows[0]?.message_id}@mail.example.org>`);
});

/** Three deliveries choose their mails while all of them are locked. They end, or wait for the locks until all three do. */
async function claimAtOnce(merchantId: number, deliverMails: () => Promise<void>): Promise<void> {
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM mails WHERE merchant_id = $1 FOR UPDATE', [merchantId]);
  let ended = 0;
  const claims = Array.from({ length: 3 }, () => deliverMails().finally(() => (ended += 1)));
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%UPDATE mails%'
    AND cardinality(pg_blocking_pids(pid)) > 0`;
  await until(async () => ended + (await app.pool.query(waiting)).rows.length >= claims.length);
  await holder.query('ROLLBACK');
  holder.release();
  await Promise.all(claims);
}

test('several who deliver at once send each mail once', async () => {
  const merchant = await createMerchant(app);
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { queueMail } = await import('../../src/mail/mail.js');
  await transaction(async (inTransaction) => {
    for (let nth = 1; nth <= 30; nth += 1) {
      const to = `${nth}-of-many@example.org`;
      await queueMail(inTransaction, { merchantId: merchant.id, to, template: 'password_changed', values: {} });
    }
  });
  const { deliverMails } = await import('../../src/mail/delivery.js');
  const ofMany = () =>
    mailServer.received.flatMap(({ recipients }) => recipients.filter((address) => address.includes('-of-many@')));
  await claimAtOnce(merchant.id, deliverMails);
  await until(async () => {
    await Promise.all([deliverMails(), deliverMails(), deliverMails()]);
    return ofMany().length >= 30;
  });
  expect(new Set(ofMany()).size).toBe(30);
  expect(ofMany()).toHaveLength(30);
});

test('a mail that was taken, but whose confirmation was lost, comes again under the same Message-ID', async () => {
  mailServer.misbehave = onceForEach((mail) => {
    mailServer.received.push(mail);
    throw smtpError(421, 'the line goes dead');
  });
  const merchant = await createMerchant(app);
  const ids = await until(() => {
    const mails = mailServer.received.filter(({ recipients }) => recipients.includes(merchant.email));
    return mails.length === 2 && mails.map(({ messageId }) => messageId);
  });
  expect(new Set(ids).size).toBe(1);
});

test('a server that refuses the address for good is not asked again, and the reason names nobody', async () => {
  mailServer.misbehave = ({ recipients }) => {
    throw smtpError(550, `no mailbox ${recipients.join()}`);
  };
  const merchant = await createMerchant(app);
  expect(await mailOf(merchant, 'parked_at IS NOT NULL')).toMatchObject({
    last_error: 'EMESSAGE 550',
    sealed_values: null,
    sent_at: null,
  });
});

test('a mail that is of no use any more is not sent', async () => {
  mailServer.misbehave = () => {
    throw smtpError(451, 'try again later');
  };
  const merchant = await createMerchant(app);
  await mailOf(merchant, 'attempts > 0');
  await app.pool.query('UPDATE mails SET useful_until = now(), available_at = now() WHERE merchant_id = $1', [
    merchant.id,
  ]);
  expect(await mailOf(merchant, 'parked_at IS NOT NULL')).toMatchObject({
    last_error: 'too late',
    sealed_values: null,
  });
});

test('a mail that nobody can open any more is given up', async () => {
  const merchant = await createMerchant(app);
  const id = await until(async () => {
    const { rows } = await app.pool.query<{ id: number }>(
      `UPDATE mails SET sealed_values = 'sealed elsewhere, with another key', sent_at = NULL, available_at = now()
       WHERE merchant_id = $1 AND sent_at IS NOT NULL RETURNING id`,
      [merchant.id],
    );
    return rows[0]?.id;
  });
  const error = await until(async () => {
    const { rows } = await app.pool.query<{ last_error: string | null }>('SELECT last_error FROM mails WHERE id = $1', [
      id,
    ]);
    return rows[0]?.last_error ?? undefined;
  });
  expect(error).toBe('sealed with another key');
});

test('a server that is away holds nothing up, and what was promised arrives when it is back', async () => {
  const port = Number(new URL(mailServer.url).port);
  await mailServer.stop();
  const merchant = await createMerchant(app);
  const forgot = { merchant_uuid: 'platform', email: merchant.email };
  expect(await call(app, 'POST', '/accounts/forgot-password', forgot)).toMatchObject({ status: 200 });
  await until(async () => {
    const { rows } = await app.pool.query('SELECT FROM mails WHERE merchant_id = $1 AND attempts > 0', [merchant.id]);
    return rows.length === 2;
  });
  mailServer = await startMailServer(port);
  await app.pool.query('UPDATE mails SET available_at = now() WHERE merchant_id = $1', [merchant.id]);
  const subjects = await until(() => {
    const mails = mailServer.received.filter(({ recipients }) => recipients.includes(merchant.email));
    return mails.length === 2 && mails.map(({ subject }) => subject).sort();
  });
  expect(subjects).toEqual(['Activate your account at Ana Petrova', 'Set a new password at Ana Petrova']);
});

test('a whole new password by mail, over SMTP', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const isReset = (subject: string | undefined) => subject?.startsWith('Set a new password') === true;
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email: consumer.email });
  const mail = await until(() =>
    mailServer.received.find(({ recipients, subject }) => recipients.includes(consumer.email) && isReset(subject)),
  );
  const fields = { password: `${password}-2`, password_confirmation: `${password}-2` };
  const token = tokenIn(mail);
  expect(await call(app, 'PUT', `/accounts/forgot-password/${token}`, fields)).toMatchObject({ status: 200 });
  const notice = await until(() =>
    mailServer.received.find(
      ({ recipients, subject }) => recipients.includes(consumer.email) && subject?.includes('was changed'),
    ),
  );
  expect(notice.subject).toBe('Your password at Ana Petrova was changed');
});
