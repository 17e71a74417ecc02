import { type startWorker as startWorkerType } from '../../../workers/worker';
import { call, listen } from '../../support/client';
import { cards, createShop, password, reaches, type Shop, subscribe } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { type MailServer, type ReceivedMail, startMailServer } from '../../support/mailServer';
import { pathIn } from '../../support/mailedLinks';
import { operationOf, requestErasure } from '../../support/privacy';
import { readable } from '../../support/readable';
import { startApp, type TestApp } from '../../support/startApp';
import { connectTemporal, type TemporalClient } from '../../support/temporalClient';
import { until } from '../../support/until';

let app: TestApp;
let mailServer: MailServer;
let temporal: TemporalClient;
let worker: Awaited<ReturnType<typeof startWorkerType>>;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url });
  temporal = await connectTemporal();
  worker = await app.startWorker();
});

afterAll(async () => {
  await worker.stop();
  await temporal.close();
  await app.stop();
  await mailServer.stop();
});

const ask = (token: string, fields: Record<string, unknown> = { password }) =>
  call(app, 'POST', '/accounts/export', fields, { token });

const exportsTo = (to: string) =>
  mailServer.received.filter(({ recipients, subject }) => recipients.includes(to) && subject?.startsWith('Your data'));

const arrives = (to: string): Promise<ReceivedMail> => until(() => exportsTo(to)[0]);

const confirmationsTo = (to: string) =>
  mailServer.received.filter(({ recipients, subject }) => recipients.includes(to) && subject?.startsWith('Confirm'));

const age = (accountId: number, by: string) =>
  app.pool.query('UPDATE sessions SET created_at = created_at - $2::interval WHERE account_id = $1', [accountId, by]);

type Exported = Record<string, Record<string, unknown>[]> & { account: Record<string, unknown> };

function attached(mail: ReceivedMail): Exported {
  const [attachment] = mail.attachments;
  const content = attachment?.content as ArrayBuffer | string | undefined;
  const text = typeof content === 'string' ? content : Buffer.from(content ?? new ArrayBuffer(0)).toString('utf8');
  return JSON.parse(text) as Exported;
}

async function livelyShop(): Promise<Shop> {
  const shop = await createShop(app);
  const { consumer } = shop;
  await call(
    app,
    'PUT',
    '/accounts',
    { full_name: 'Ana P.', metadata: { consents: '["terms"]', city: 'Bitola' } },
    consumer,
  );
  await call(app, 'POST', '/v2/accounts/media/favorites', { media_id: 'film-1' }, consumer);
  await call(app, 'PATCH', '/v2/accounts/media/watch-history', { media_id: 'film-1', progress: 0.5 }, consumer);
  await call(app, 'POST', '/v2/accounts/profiles', { name: 'Kid', adult: false }, consumer);
  const fields = { item_id: shop.item.id, nickname: 'ana-chat' };
  await call(app, 'POST', '/v2/accounts/external/livelike', fields, consumer);
  const { body } = await subscribe(app, shop, cards.success);
  await reaches(app, consumer, body.subscription_id, 'active');
  return shop;
}

test('202: everything that is stored comes by mail, as one JSON file', async () => {
  const shop = await livelyShop();
  const { consumer, item } = shop;
  const { status, body } = await ask(consumer.token);
  expect({ status, body }).toMatchObject({
    status: 202,
    body: { code: 200, message: 'Account successfully exported' },
  });
  const mail = await arrives(consumer.email);
  expect(mail.attachments[0]).toMatchObject({ filename: 'account.json', mimeType: 'application/json' });
  const exported = attached(mail);
  expect(exported.account).toMatchObject({ id: consumer.id, email: consumer.email, full_name: 'Ana P.' });
  expect(exported['consents']).toEqual({ consents: '["terms"]' });
  expect(exported['logins']).toHaveLength(1);
  expect(exported['subscriptions']).toMatchObject([{ item_id: item.id, state: 'active', price_minor: 999 }]);
  expect(exported['payments']).toMatchObject([{ amount_minor: 999, currency: 'EUR', status: 'paid' }]);
  expect(exported['accesses']).toMatchObject([{ item_id: item.id, source: 'subscription' }]);
  expect(exported['cards']).toMatchObject([{ brand: 'visa', last_four: '4242', holder_name: 'Ana Petrova' }]);
  expect(exported['favorites']).toMatchObject([{ media_id: 'film-1' }]);
  expect(exported['watch_history']).toMatchObject([{ media_id: 'film-1', progress: 0.5 }]);
  expect(exported['profiles']).toMatchObject([{ name: 'Kid' }]);
  expect(exported['external_accounts']).toMatchObject([{ nickname: 'ana-chat' }]);
  expect(exported['mails']?.map(({ subject }) => subject)).toEqual([
    'Activate your account at Ana Petrova',
    'Your receipt from Ana Petrova',
  ]);
});

// Events carry the metadata of an item as `metahash`.
test('202: no secret is in it, and nothing of anybody else', async () => {
  const shop = await livelyShop();
  const other = await livelyShop();
  await ask(shop.consumer.token);
  const text = JSON.stringify(attached(await arrives(shop.consumer.email)));
  expect(text).not.toMatch(/argon2|tok_|"token"|(?<!meta)hash/);
  expect(text).not.toContain(other.consumer.email);
});

test('202: no copy is left once it is delivered, and none was ever in the workflow', async () => {
  const { consumer } = await createShop(app);
  await ask(consumer.token);
  await arrives(consumer.email);
  const sent = () =>
    app.pool.query(
      `SELECT 1 FROM mails WHERE account_id = $1 AND template = 'account_export' AND sent_at IS NOT NULL
         AND sealed_values IS NULL AND NOT EXISTS (SELECT FROM mail_attachment_parts WHERE mail_id = mails.id)`,
      [consumer.id],
    );
  await until(async () => (await sent()).rows.length === 1);
  const history = readable(await readHistory(consumer.id));
  expect(history).toContain('"operationId"');
  expect(history).not.toMatch(/example\.org|Petrova/);
});

async function readHistory(accountId: number): Promise<string> {
  const { rows } = await app.pool.query<{ token: string }>(
    'SELECT token FROM account_operations WHERE account_id = $1',
    [accountId],
  );
  return temporal.historyOf(`account-export-${rows[0]?.token}`);
}

test('202: a large export goes piece by piece', async () => {
  const { consumer, merchant } = await createShop(app);
  await app.pool.query(
    `INSERT INTO media_favorites (merchant_id, account_id, media_id)
     SELECT $1, $2, 'film-' || n || repeat('x', 150) FROM generate_series(1, 3000) AS n`,
    [merchant.id, consumer.id],
  );
  await ask(consumer.token);
  const exported = attached(await arrives(consumer.email));
  expect(exported['favorites']).toHaveLength(3000);
});

test('account.export.success: told once', async () => {
  const { consumer } = await createShop(app);
  const listening = await listen(app, consumer);
  await ask(consumer.token);
  expect(await listening.hears('account.export.success')).toMatchObject({ resource: {}, account_uuid: consumer.uuid });
  await listening.close();
});

test('202: without a password, in a session of the last 30 minutes', async () => {
  const { consumer } = await createShop(app);
  const { status, body } = await ask(consumer.token, { branding_id: 'undefined' });
  expect({ status, body }).toMatchObject({ status: 202, body: { code: 200, state: 'started' } });
  await arrives(consumer.email);
});

test('202: without a password in an older session, the owner of the mailbox confirms it first', async () => {
  const { consumer } = await createShop(app);
  await age(consumer.id, '31 minutes');
  const { status, body } = await ask(consumer.token, {});
  expect({ status, body }).toMatchObject({ status: 202, body: { code: 200, state: 'confirmation_mailed' } });
  expect(await operationOf(app, consumer.id)).toBe(0);
  const mail = await until(() => confirmationsTo(consumer.email)[0]);
  const path = pathIn({ text: mail.text }, '/accounts/export/');
  expect((await call(app, 'PUT', path)).body).toMatchObject({ code: 200, state: 'started' });
  expect(attached(await arrives(consumer.email)).account).toMatchObject({ email: consumer.email });
});

test('202: with the password, in a session of any age', async () => {
  const { consumer } = await createShop(app);
  await age(consumer.id, '20 days');
  expect((await ask(consumer.token)).body).toMatchObject({ state: 'started' });
  await arrives(consumer.email);
});

test('202: a renewal makes no session younger', async () => {
  const { consumer, merchant } = await createShop(app);
  await age(consumer.id, '1 hour');
  const fields = { client_id: merchant.uuid, grant_type: 'refresh_token', refresh_token: consumer.refreshToken };
  const { body } = await call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', fields);
  expect((await ask(body.access_token, {})).body).toMatchObject({ state: 'confirmation_mailed' });
});

test('202: a merchant exports its own account', async () => {
  const { merchant } = await createShop(app);
  expect((await ask(merchant.token)).status).toBe(202);
  expect(attached(await arrives(merchant.email)).account).toMatchObject({ email: merchant.email });
});

test('422 wrong_password: a wrong one, also in a fresh session', async () => {
  const { consumer } = await createShop(app);
  const { status, body } = await ask(consumer.token, { password: 'not-my-password' });
  expect({ status, body }).toMatchObject({
    status: 422,
    body: { error: 'wrong_password', message: 'Invalid credentials', errors: { password: 'Invalid credentials' } },
  });
  expect(await operationOf(app, consumer.id)).toBe(0);
});

test('429 too_many_requests: who guesses passwords has to wait', async () => {
  const { consumer } = await createShop(app);
  const statuses = await guessSevenTimes(app, (guess) => ask(consumer.token, { password: `guess-${guess}` }));
  expect(statuses.at(-1)).toBe(429);
});

describe('while no worker runs', () => {
  beforeAll(() => worker.stop());
  afterAll(async () => {
    worker = await app.startWorker();
  });

  test('409 export_in_progress: one at a time', async () => {
    const { consumer } = await createShop(app);
    const replies = await Promise.all(Array.from({ length: 5 }, () => ask(consumer.token)));
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const { body } of replies.filter(({ status }) => status !== 202))
      expect(body).toMatchObject({ code: 409, error: 'export_in_progress' });
  });

  test('202: the step run by several workers at once, and again, mails once and tells once', async () => {
    const { consumer } = await createShop(app);
    await ask(consumer.token);
    const { mailExport } = await import('../../../src/privacy/exports.js');
    const operationId = await operationOf(app, consumer.id);
    const run = () => mailExport(operationId);
    const all = [...(await Promise.all([run(), run(), run()])), await run()];
    expect(all).toEqual(all.map(() => ({ isMailed: true })));
    const mails = `SELECT 1 FROM mails WHERE account_id = $1 AND template = 'account_export'`;
    expect((await app.pool.query(mails, [consumer.id])).rows).toHaveLength(1);
    const events = `SELECT 1 FROM events WHERE account_id = $1 AND type = 'account.export.success'`;
    expect((await app.pool.query(events, [consumer.id])).rows).toHaveLength(1);
  });

  test('202: an erasure that comes meanwhile cancels it', async () => {
    const { consumer } = await createShop(app);
    await ask(consumer.token);
    const exporting = await operationOf(app, consumer.id);
    expect((await requestErasure(app, consumer)).status).toBe(202);
    const { mailExport } = await import('../../../src/privacy/exports.js');
    expect(await mailExport(exporting)).toEqual({ isMailed: false });
    const { rows } = await app.pool.query(`SELECT 1 FROM mails WHERE account_id = $1 AND template = 'account_export'`, [
      consumer.id,
    ]);
    expect(rows).toEqual([]);
  });
});
