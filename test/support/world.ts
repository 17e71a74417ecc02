import { randomInt, randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type CreatedFollowerResponse } from '../../src/accounts/merchants/followers.schemas';
import { type NewAppResponse } from '../../src/accounts/apps.schemas';
import { type Scope } from '../../src/kit/auth';
import { call } from './client';
import {
  cards,
  createConsumer,
  createMerchant,
  createShop,
  password,
  type Person,
  type Shop,
  subscribe,
} from './factories';
import { type TestApp } from './startApp';

/** The tenant of a merchant with one row of each kind, for the requests of `examples/`. */
export interface World extends Shop {
  app: TestApp;
}

/** The people that the requests of a test share, by uuid. */
const shared = new Set<string>();

export async function createWorld(app: TestApp): Promise<World> {
  const shop = await createShop(app);
  // Old enough for every age rule of the examples.
  await app.pool.query(`UPDATE accounts SET date_of_birth = '1980-02-29' WHERE merchant_id = $1`, [shop.merchant.id]);
  shared.add(shop.merchant.uuid).add(shop.consumer.uuid);
  return { app, ...shop };
}

/** The same merchant as another of its consumers sees it. */
export async function createNeighbour(world: World): Promise<World> {
  const consumer = await createConsumer(world.app, world.merchant);
  shared.add(consumer.uuid);
  return { ...world, consumer };
}

/** Another session of an account. */
export async function openSession(person: Person): Promise<Person> {
  const { openSession } = await import('../../src/accounts/tokens/tokens.js');
  const { Account } = await import('../../src/accounts/accounts.model.js');
  const account = await Account.findByPk(person.id, { rejectOnEmpty: true });
  const tokens = await openSession(account, person.merchantUuid);
  return { ...person, token: tokens.accessToken, refreshToken: tokens.refreshToken ?? '' };
}

/** The world's merchant with a session of its own; for a request that changes its caller, another merchant. */
export async function merchantFor({ app, merchant }: World, { spends }: { spends?: true }): Promise<Person> {
  return spends ? createMerchant(app) : openSession(merchant);
}

/** Another consumer with the same password: a row, since hashing one for each would take most of the time. */
export async function cloneConsumer({ app, consumer }: World): Promise<Person> {
  const email = `clone-${randomUUID()}@example.org`;
  const fields = { uuid: randomUUID(), email, email_normalized: email };
  const { rows } = await app.pool.query<{ id: number; uuid: string }>(
    `INSERT INTO accounts SELECT (jsonb_populate_record(a, $2::jsonb
       || jsonb_build_object('id', nextval(pg_get_serial_sequence('accounts', 'id'))))).*
     FROM accounts a WHERE a.id = $1 RETURNING id, uuid`,
    [consumer.id, fields],
  );
  const [row] = rows;
  if (!row) throw new Error('The consumer is gone');
  return openSession({ ...consumer, ...row, email });
}

/** The caller, or a new customer in place of the merchant or a member of its staff. */
export async function customerFor(world: World, caller: Person): Promise<Person> {
  return caller.uuid === world.merchant.uuid || caller.isStaff ? cloneConsumer(world) : caller;
}

/** A merchant that follows the world's, with a session of its own. `acted`: the token with which its master acts as it. */
export async function createFollower(
  { app, merchant }: World,
  scopes: readonly Scope[],
): Promise<Person & { acted: string }> {
  const email = `follower-${randomUUID()}@example.org`;
  const fields = { full_name: 'Local News', email, password, scopes };
  const { body } = await call<z.output<typeof CreatedFollowerResponse>>(
    app,
    'POST',
    '/accounts/merchants',
    fields,
    merchant,
  );
  const { id, uuid } = body.account;
  const person = { id, uuid, email, merchantUuid: uuid, token: '', refreshToken: '' };
  return { ...(await openSession(person)), acted: body.access_token };
}

/** The caller, or another consumer in place of a person whom other requests need unchanged. */
export async function changeable(world: World, caller: Person): Promise<Person> {
  return shared.has(caller.uuid) ? cloneConsumer(world) : caller;
}

export async function createApp({ app, merchant }: World): Promise<z.output<typeof NewAppResponse>> {
  const fields = { name: 'Reader' };
  return (await call<z.output<typeof NewAppResponse>>(app, 'POST', '/accounts/apps', fields, merchant)).body;
}

/** Opens the world's item to the caller. */
export async function giveAccess({ app, item }: World, caller: Person): Promise<void> {
  await app.pool.query(
    `INSERT INTO accesses (merchant_id, account_id, item_id, source, source_id, environment, starts_at, expires_at)
     VALUES ($1, $2, $3, 'subscription', $4, 'test', now() - interval '1 day', now() + interval '1 day')`,
    [item.merchant_id, caller.id, item.id, randomInt(2 ** 31)],
  );
}

/** A purchase of the caller's that waits for an authentication: its subscription's id and its payment's. */
export async function awaitAuthentication(world: World, caller: Person): Promise<{ id: string; pi: string }> {
  const { body } = await subscribe(world.app, { ...world, consumer: caller }, cards.needsAuthentication);
  const { chargeCycle } = await import('../../src/subscriptions/charges/charges.js');
  const found = await world.app.pool.query<{ id: number }>('SELECT id FROM subscriptions WHERE token = $1', [
    body.subscription_id,
  ]);
  const subscriptionId = found.rows[0]?.id ?? 0;
  await chargeCycle({ subscriptionId, cycle: 1, attempt: 1 });
  const text = 'SELECT reference FROM charges WHERE subscription_id = $1';
  const { rows } = await world.app.pool.query<{ reference: string }>(text, [subscriptionId]);
  return { id: body.subscription_id, pi: rows[0]?.reference ?? '' };
}
