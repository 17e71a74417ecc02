import { call } from '../support/client';
import { startLives, type Lived, type Lives } from '../support/lives';
import { paid, refund, withFee } from '../support/payments';
import { until } from '../support/until';

/** A refund and a dispute of one subscription, in whatever order; and what was bought to follow on it. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

const signal = (life: Lived, name: 'revoked' | 'restored') =>
  lives.temporal.client.workflow.getHandle(`subscription-${life.id}`).signal(name, { reason: 'chargeback' });

const reaches = (life: Lived, status: string) => until(async () => (await life.row()).status === status);

const lastReason = async (life: Lived) => {
  const text = `SELECT e.reason FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
    WHERE s.token = $1 ORDER BY e.sequence DESC LIMIT 1`;
  return (await lives.app.pool.query<{ reason: string }>(text, [life.id])).rows[0]?.reason;
};

const giveBack = (life: Lived) =>
  refund(lives.app, life.shop.merchant, `${life.id}-1-1`, { revoke_access: true, amount: '5' });

const refusal = 'not restored: its money was given back';

describe('the merchant has given the money back, and ended the access', () => {
  test('access.revoked: a dispute that is won afterwards does not bring it back', async () => {
    const life = await lives.begin();
    await giveBack(life);
    await reaches(life, 'revoked');
    await signal(life, 'revoked');
    await signal(life, 'restored');
    await until(async () => (await lastReason(life)) === refusal);
    expect(await life.hasAccess()).toBe(false);
  });

  test('access.revoked: nor does one that stood when the money was given back', async () => {
    const life = await lives.begin();
    await signal(life, 'revoked');
    await reaches(life, 'revoked');
    await giveBack(life);
    const text = `SELECT FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.trx_token = $1 AND r.state = 'refunded'`;
    await until(async () => (await lives.app.pool.query(text, [`${life.id}-1-1`])).rows.length > 0);
    await signal(life, 'restored');
    await until(async () => (await lastReason(life)) === refusal);
    expect(await life.hasAccess()).toBe(false);
  });
});

test('access.granted: what was bought to follow on it follows on it again', async () => {
  const life = await lives.begin();
  const days = { access_type: 'ppv', quantity: 2, period: 'day' };
  await paid(lives.app, await withFee(lives.app, life.shop, days));
  const { item, consumer } = life.shop;
  const hoursLeft = async () => {
    const path = `/items/${item.id}/access`;
    const { body } = await call<{ expires_at: number }>(lives.app, 'GET', path, undefined, consumer);
    return Math.round((body.expires_at - Date.now() / 1000) / 3600);
  };
  const before = await hoursLeft();
  expect(before).toBeGreaterThan(29 * 24);
  await signal(life, 'revoked');
  await reaches(life, 'revoked');
  expect(await hoursLeft()).toBe(48);
  await signal(life, 'restored');
  await reaches(life, 'active');
  expect(await hoursLeft()).toBe(before);
});

test('access.granted: a word that is sent once more, after what followed on it, is heard once', async () => {
  const life = await lives.begin();
  const handle = lives.temporal.client.workflow.getHandle(`subscription-${life.id}`);
  const told = (word: string) => ({ id: `${life.id}:${word}`, atMs: Date.now(), reason: 'chargeback' });
  await handle.signal('revoked', told('revoked'));
  await reaches(life, 'revoked');
  await handle.signal('restored', told('restored'));
  await reaches(life, 'active');
  await handle.signal('revoked', told('revoked'));
  expect((await call(lives.app, 'DELETE', `/subscriptions/${life.id}`, {}, life.shop.consumer)).status).toBe(200);
  expect(await life.row()).toMatchObject({ status: 'active', cancel_at_period_end: true });
});
