import { type ErrorBody } from '../../support/raw';
import { call } from '../../support/client';
import { check, createPackage, giveByHand, moveClock, putIn, takeAway, takeOut } from '../../support/access';
import { createConsumer, createItem, createShop, type Shop } from '../../support/factories';
import { grant } from '../../support/grant';
import { addresses, bornOn, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import { openSession } from '../../support/world';

let app: TestApp;

beforeAll(async () => (app = await startBehindProxy()));
afterAll(() => app.stop());

const hour = { from: '-1 hour', to: '1 hour' };

const refusal = async (reply: ReturnType<typeof check>) => {
  const { status, body } = await reply;
  const { error, errors } = body as unknown as ErrorBody;
  return [status, error, ...Object.keys(errors ?? {})];
};

/** SQL writes the rules, because this file tests how the check reads them. */
async function restrict(
  { merchant, item }: Shop,
  rules: { minAge?: number; domain?: string; pin?: true },
): Promise<void> {
  const { pool } = app;
  if (rules.minAge !== undefined)
    await pool.query('INSERT INTO age_restrictions (merchant_id, item_id, min_age) VALUES ($1, $2, $3)', [
      merchant.id,
      item.id,
      rules.minAge,
    ]);
  if (rules.domain !== undefined)
    await pool.query(
      `INSERT INTO domain_restrictions (merchant_id, item_id, type, domain) VALUES ($1, $2, 'whitelist', $3)`,
      [merchant.id, item.id, rules.domain],
    );
  if (rules.pin)
    await pool.query(
      `INSERT INTO restriction_settings (merchant_id, age_verification_enabled, age_verification_type)
       VALUES ($1, true, 'pin_code')
       ON CONFLICT (merchant_id) DO UPDATE SET age_verification_enabled = true, age_verification_type = 'pin_code'`,
      [merchant.id],
    );
}

async function validatePin(shop: Shop, ago: string): Promise<void> {
  await app.pool.query(
    `INSERT INTO pin_codes (session_id, merchant_id, account_id, code_hash, expires_at, validated_at)
     SELECT s.id, s.merchant_id, s.account_id, 'x', now(), now() - $2::interval
     FROM sessions s WHERE s.account_id = $1 ORDER BY s.created_at LIMIT 1
     ON CONFLICT (session_id) DO UPDATE SET validated_at = excluded.validated_at`,
    [shop.consumer.id, ago],
  );
}

describe('packages', () => {
  test('200: an entitlement to a package opens what it holds, also what was put in later, and nothing else', async () => {
    const shop = await createShop(app);
    const { merchant, item, consumer } = shop;
    const other = await createItem(app, merchant);
    const packageId = await createPackage(app, merchant, [item.id]);
    const access = await grant(app, { ...shop, item: { ...item, id: packageId } }, hour);
    const { status, body } = await check(app, item.id, consumer);
    expect([status, body.id, body.item.id, body.item.content]).toEqual([200, access.id, item.id, item.content]);
    expect((await check(app, other.id, consumer)).status).toBe(402);
    await putIn(app, merchant, packageId, other.id);
    expect((await check(app, other.id, consumer)).status).toBe(200);
  });

  test('200: of an item’s and a package’s entitlement the one that ends last answers', async () => {
    const shop = await createShop(app);
    const { merchant, item, consumer } = shop;
    const packageId = await createPackage(app, merchant, [item.id]);
    await grant(app, shop, hour);
    const longer = await grant(app, { ...shop, item: { ...item, id: packageId } }, { from: '-1 hour', to: '3 hours' });
    expect((await check(app, item.id, consumer)).body.id).toBe(longer.id);
    const longest = await grant(app, shop, { from: '-1 hour', to: '5 hours' });
    expect((await check(app, item.id, consumer)).body.id).toBe(longest.id);
  });

  test('402 access_not_found: an item that is no longer in the package, and a package that only shares an item', async () => {
    const shop = await createShop(app);
    const { merchant, item, consumer } = shop;
    const [bought, free] = [
      await createPackage(app, merchant, [item.id]),
      await createPackage(app, merchant, [item.id]),
    ];
    await grant(app, { ...shop, item: { ...item, id: bought } }, hour);
    expect((await check(app, item.id, consumer)).status).toBe(200);
    await takeOut(app, bought, item.id);
    expect(await refusal(check(app, item.id, consumer))).toEqual([402, 'access_not_found']);
    expect(await refusal(check(app, free, consumer))).toEqual([402, 'access_not_found']);
  });

  test('200: a package of thousands of items', async () => {
    const shop = await createShop(app);
    const { merchant, item, consumer } = shop;
    const packageId = await createPackage(app, merchant, [item.id]);
    await app.pool.query(
      `WITH made AS (
         INSERT INTO items (merchant_id, title, item_type) SELECT $1, 'Episode ' || n, 'html_asset'
         FROM generate_series(1, 3000) AS n RETURNING id
       )
       INSERT INTO package_items (merchant_id, package_id, item_id) SELECT $1, $2, id FROM made`,
      [merchant.id, packageId],
    );
    await grant(app, { ...shop, item: { ...item, id: packageId } }, hour);
    expect((await check(app, item.id, consumer)).status).toBe(200);
  });
});

describe('402 access_restricted: each rule, in order', () => {
  test('402 access_restricted: domain before age before the entitlement before the pin', async () => {
    const shop = await createShop(app);
    const { item, consumer } = shop;
    await restrict(shop, { minAge: 18, domain: 'news.example', pin: true });
    const ask = (origin?: string) =>
      refusal(
        call(app, 'GET', `/items/${item.id}/access`, undefined, {
          ...consumer,
          ...(origin !== undefined && { headers: { Origin: origin } }),
        }) as unknown as ReturnType<typeof check>,
      );
    expect(await ask()).toEqual([402, 'access_restricted', 'domain']);
    expect(await check(app, item.id, consumer)).toMatchObject({
      body: { id: item.id, code: 402, message: 'Access restricted: The item may not be shown on this domain.' },
    });
    expect(await ask('https://thief.example')).toEqual([402, 'access_restricted', 'domain']);
    const at = 'https://www.news.example';
    expect(await ask(at)).toEqual([402, 'access_restricted', 'age']);
    await bornOn(app, consumer, '1980-01-01');
    expect(await ask(at)).toEqual([402, 'access_not_found']);
    await grant(app, shop, hour);
    expect(await ask(at)).toEqual([402, 'access_restricted', 'pin']);
    await validatePin(shop, '1 minute');
    expect(await ask(at)).toEqual([200, undefined]);
  });

  test('402 access_restricted: a child, until the day that makes it old enough', async () => {
    const shop = await createShop(app);
    const { merchant, item, consumer } = shop;
    await restrict(shop, { minAge: 18 });
    await grant(app, shop, { from: '-1 hour', to: '100 days' });
    await app.pool.query(
      `UPDATE accounts SET date_of_birth = (now() AT TIME ZONE 'UTC')::date - interval '18 years' + interval '2 days' WHERE id = $1`,
      [consumer.id],
    );
    expect(await refusal(check(app, item.id, consumer))).toEqual([402, 'access_restricted', 'age']);
    await moveClock(app, merchant, '3 days');
    expect((await check(app, item.id, consumer)).status).toBe(200);
  });

  test('402 access_restricted: a pin of 13 hours ago, or of another session', async () => {
    const shop = await createShop(app);
    const { item, consumer } = shop;
    await restrict(shop, { pin: true });
    await grant(app, shop, hour);
    await validatePin(shop, '13 hours');
    expect(await refusal(check(app, item.id, consumer))).toEqual([402, 'access_restricted', 'pin']);
    await validatePin(shop, '11 hours');
    expect((await check(app, item.id, consumer)).status).toBe(200);
    expect(await refusal(check(app, item.id, await openSession(consumer)))).toEqual([402, 'access_restricted', 'pin']);
  });
});

describe('the merchant’s own time', () => {
  test('402 access_not_found: what ended by the merchant’s test clock', async () => {
    const shop = await createShop(app);
    await grant(app, shop, hour);
    expect((await check(app, shop.item.id, shop.consumer)).status).toBe(200);
    await moveClock(app, shop.merchant, '2 hours');
    expect((await check(app, shop.item.id, shop.consumer)).status).toBe(402);
  });

  test('200: what begins by it, while other merchants’ time stands', async () => {
    const [shop, neighbour] = [await createShop(app), await createShop(app)];
    for (const one of [shop, neighbour]) await grant(app, one, { from: '1 day', to: '3 days' });
    await moveClock(app, shop.merchant, '2 days');
    expect((await check(app, shop.item.id, shop.consumer)).status).toBe(200);
    expect((await check(app, neighbour.item.id, neighbour.consumer)).status).toBe(402);
  });
});

test('200: the address and the country that the check comes from', async () => {
  const shop = await createShop(app);
  await grant(app, shop, hour);
  const headers = { 'X-Forwarded-For': addresses.macedonia };
  const path = `/items/${shop.item.id}/access`;
  const { body } = await call(app, 'GET', path, undefined, { token: shop.consumer.token, headers });
  expect(body).toMatchObject({ ip_address: addresses.macedonia, country_code: 'MK' });
  expect((await check(app, shop.item.id, shop.consumer)).body.country_code).toBe('');
});

test('200: in grace, while the renewal of its subscription fails', async () => {
  const shop = await createShop(app);
  const { merchant, consumer, item, fee } = shop;
  const access = await grant(app, shop, hour);
  expect((await check(app, item.id, consumer)).body).not.toHaveProperty('grace');
  const { rows: cards } = await app.pool.query<{ id: number }>(
    `INSERT INTO cards (merchant_id, account_id, provider, token, last_four, brand, holder_name, expiry_month,
       expiry_year, fingerprint)
     VALUES ($1, $2, 'sandbox', gen_random_uuid(), '4242', 'visa', '', 1, 2040, '') RETURNING id`,
    [merchant.id, consumer.id],
  );
  await app.pool.query(
    `INSERT INTO subscriptions (id, token, merchant_id, account_id, item_id, access_fee_id, card_id, state, price_minor,
       currency, period_quantity, period, environment)
     SELECT a.source_id, gen_random_uuid(), a.merchant_id, a.account_id, a.item_id, $2, $3, 'past_due', 999, 'EUR', 1,
       'month', 'test'
     FROM accesses a WHERE a.id = $1`,
    [access.id, fee.id, cards[0]?.id],
  );
  expect((await check(app, item.id, consumer)).body.grace).toBe(true);
});

test('402 access_not_found: a purchase of another environment', async () => {
  const shop = await createShop(app);
  const access = await grant(app, shop, hour);
  await app.pool.query(`UPDATE accesses SET environment = 'production' WHERE id = $1`, [access.id]);
  expect(await refusal(check(app, shop.item.id, shop.consumer))).toEqual([402, 'access_not_found']);
});

describe('an item that is free after sign-in', () => {
  const createFreeShop = async () => {
    const shop = await createShop(app);
    return { ...shop, item: await createItem(app, shop.merchant, { access_control_type_id: 3 }) };
  };

  test('200: whoever is signed in, once, with its event', async () => {
    const { item, consumer } = await createFreeShop();
    const replies = await Promise.all(Array.from({ length: 20 }, () => check(app, item.id, consumer)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies[0]?.body.expires_at).toBe(2 ** 31 - 1);
    const { body } = await call<{ collection: { type: string }[] }>(
      app,
      'GET',
      '/notifications/history',
      undefined,
      consumer,
    );
    expect(body.collection.map(({ type }) => type)).toEqual(['access.granted']);
  });

  test('402 access_not_found: from whom the merchant took it, and no other item', async () => {
    const shop = await createFreeShop();
    const { merchant, item, consumer } = shop;
    const { body } = await check(app, item.id, consumer);
    await takeAway(app, shop, body.id);
    expect(await refusal(check(app, item.id, consumer))).toEqual([402, 'access_not_found']);
    expect((await check(app, item.id, await createConsumer(app, merchant))).status).toBe(200);
    for (const type of [1, 2, 4]) {
      const paid = await createItem(app, merchant, { access_control_type_id: type });
      expect((await check(app, paid.id, consumer)).status).toBe(402);
    }
  });

  test('402 access_not_found: when it is no longer offered; who has it keeps it', async () => {
    const { merchant, item, consumer } = await createFreeShop();
    await check(app, item.id, consumer);
    await app.pool.query('UPDATE items SET is_active = false WHERE id = $1', [item.id]);
    // Each request is another person's. Those who came in time have access.
    await until(async () => (await check(app, item.id, await createConsumer(app, merchant))).status === 402);
    expect((await check(app, item.id, consumer)).status).toBe(200);
  });
});

describe('402 access_not_found: revocation against checks', () => {
  test('402 access_not_found: no check that begins after the answer says yes, by item or package', async () => {
    const shop = await createShop(app);
    const { merchant, item, consumer } = shop;
    const packageId = await createPackage(app, merchant, [item.id]);
    for (let round = 0; round < 12; round += 1) {
      const target = round % 2 === 0 ? item : { ...item, id: packageId };
      const { body } = await giveByHand(app, { ...shop, item: target });
      expect((await check(app, item.id, consumer)).status).toBe(200);
      let isRevoked = false;
      const late: number[] = [];
      const checkers = Array.from({ length: 8 }, async () => {
        for (let asked = 0; asked < 40; asked += 1) {
          const beganAfter = isRevoked;
          const { status } = await check(app, item.id, consumer);
          if (beganAfter) late.push(status);
          if (late.length > 20) return;
        }
      });
      expect((await takeAway(app, shop, body.id)).status).toBe(200);
      isRevoked = true;
      await Promise.all(checkers);
      late.push((await check(app, item.id, consumer)).status);
      expect(new Set(late)).toEqual(new Set([402]));
    }
  });
});
