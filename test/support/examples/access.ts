import { randomInt, randomUUID } from 'node:crypto';
import { cloudFrontKeys, createCode, enterCode, inSeconds } from '../access';
import { type Person } from '../factories';
import { cloneConsumer, createWorld, giveAccess, type World } from '../world';
import { type Example, type Examples } from './example';

const mediaHost = 'media.example.org';
const keys = cloudFrontKeys();

/** An item of the merchant. A follower without the scope gets it from its master. */
async function insertItem(
  { app, merchant }: World,
  fields: { control?: string; media?: string } = {},
): Promise<number> {
  const { rows } = await app.pool.query<{ id: number }>(
    `INSERT INTO items (merchant_id, title, item_type, access_control_type, external_id, content)
     VALUES ($1, 'Final', 'jw_asset', $2, $3, $4) RETURNING id`,
    [merchant.id, fields.control ?? 'Paid', fields.media ?? null, `https://${mediaHost}/final.mp4`],
  );
  return rows[0]?.id ?? 0;
}

async function grantTo({ app, merchant }: World, person: Person, itemId: number): Promise<number> {
  const { rows } = await app.pool.query<{ id: number }>(
    `INSERT INTO accesses (merchant_id, account_id, item_id, source, source_id, environment, starts_at, expires_at)
     VALUES ($1, $2, $3, 'grant', $4, 'test', now() - interval '1 day', now() + interval '1 day') RETURNING id`,
    [merchant.id, person.id, itemId, randomInt(2 ** 30, 2 ** 31)],
  );
  return rows[0]?.id ?? 0;
}

async function configureMedia({ app, merchant }: World): Promise<void> {
  const { seal } = await import('../../../src/adapters/sealing.js');
  await app.pool.query(
    `INSERT INTO media_settings (merchant_id, sealed_media_secret, key_pair_id, sealed_private_key, hosts)
     VALUES ($1, $2, 'K2JCJMDEHXQW5F', $3, $4) ON CONFLICT DO NOTHING`,
    [
      merchant.id,
      seal('media-secret', 'a secret of the platform'),
      seal('cloudfront-key', keys.privateKey),
      [mediaHost],
    ],
  );
}

async function useTrial({ merchant }: World, person: Person, itemId: number): Promise<void> {
  const { transaction } = await import('../../../src/adapters/postgres/connection.js');
  const { recordTrial } = await import('../../../src/entitlements/trials.js');
  const trial = { merchantId: merchant.id, accountId: person.id, itemId, subject: randomUUID() };
  await transaction((inTransaction) => recordTrial(inTransaction, trial));
}

async function enteredCode(world: World) {
  const { body } = await createCode(world.app, world, { code: `C-${randomUUID()}`, device_limit: 5 });
  const fingerprint = randomUUID();
  await enterCode(world.app, world.item.id, body.code, fingerprint);
  return { ...body, fingerprint };
}

const knownCode: Pick<Example, 'unowned'> = {
  unowned: {
    'params.code_id': 'random, and told only to who entered the code: whoever knows it may',
    'params.fingerprint': 'the browser names itself',
  },
};

const maybeMade = { 'params.code_id': 'a code, which some merchant may have made of any word' };

/** Endpoints that open items and sign their media. */
export const accessExamples: Examples = {
  checkAccess: [
    {
      request: async (world, caller) => {
        await giveAccess(world, caller);
        return { params: { id: world.item.id } };
      },
      owned: { 'params.id': 'merchant' },
    },
    {
      request: async (world, caller) => {
        await giveAccess(world, caller);
        return { params: { id: world.item.id }, query: { explain: 'true', account_id: caller.id, host: 'a.example' } };
      },
      owned: { 'params.id': 'merchant', 'query.account_id': 'merchant' },
    },
  ],
  createGrant: [
    {
      request: async (world) => ({
        body: { item_id: world.item.id, consumer_id: (await cloneConsumer(world)).id, expires_at: inSeconds(3600) },
      }),
      owned: { 'body.item_id': 'merchant', 'body.consumer_id': 'merchant' },
    },
    {
      request: ({ item, consumer, fee }) => ({
        body: { item_id: item.id, consumer_id: consumer.id, access_fee_id: fee.id },
      }),
      owned: { 'body.item_id': 'merchant', 'body.consumer_id': 'merchant', 'body.access_fee_id': 'merchant' },
    },
  ],
  revokeAccess: {
    request: async (world) => ({
      params: { id: await grantTo(world, await cloneConsumer(world), world.item.id) },
    }),
    owned: { 'params.id': 'merchant' },
  },
  extendAccess: {
    request: async (world) => ({
      params: { id: await grantTo(world, await cloneConsumer(world), world.item.id) },
      body: { days: 7 },
    }),
    owned: { 'params.id': 'merchant' },
  },
  takeFreemium: {
    request: async (world) => ({ body: { item_id: await insertItem(world, { control: 'Auth' }) } }),
    owned: { 'body.item_id': 'merchant' },
  },
  getUsedTrial: {
    request: async (world, caller) => {
      const id = await insertItem(world);
      await useTrial(world, caller, id);
      return { params: { id } };
    },
    owned: { 'params.id': 'merchant' },
  },
  listPurchases: {
    request: async (world, caller) => {
      await giveAccess(world, caller);
      return { query: { status: 'active', page: 0, size: 5, customerID: caller.id, type: 'purchased' } };
    },
    owned: { 'query.customerID': 'account' },
  },
  createAccessCode: {
    request: ({ item }) => ({
      params: { id: item.id },
      body: { code: `C-${randomUUID()}`, device_limit: 3, expires_at: inSeconds(3600) },
    }),
    owned: { 'params.id': 'merchant' },
  },
  listAccessCodes: {
    request: async (world) => {
      await enteredCode(world);
      return { params: { id: world.item.id }, query: { page: 1, size: 5 } };
    },
    owned: { 'params.id': 'merchant' },
  },
  deleteAccessCode: {
    request: async (world) => ({ params: { code_id: (await enteredCode(world)).code_id } }),
    owned: { 'params.code_id': 'merchant' },
  },
  enterAccessCode: {
    request: async ({ app }) => {
      // The merchant has no age rule, because this request has no account that could meet it.
      const open = await createWorld(app);
      const { code } = await enteredCode(open);
      return { body: { item_id: open.item.id, code, browser_fingerprint: randomUUID() } };
    },
    unowned: { 'body.item_id': 'who knows a code of the item need not be of its merchant' },
  },
  listCodeSessions: {
    request: async (world) => ({ params: { code_id: (await enteredCode(world)).code_id } }),
    ...knownCode,
    forgiving: maybeMade,
  },
  deleteCodeSession: {
    request: async (world) => {
      const { code_id, fingerprint } = await enteredCode(world);
      return { params: { code_id, fingerprint } };
    },
    ...knownCode,
    forgiving: { ...maybeMade, 'params.fingerprint': 'a device that is gone is gone' },
  },
  getMediaSettings: { request: () => ({}) },
  updateMediaSettings: {
    request: () => ({
      body: {
        media_secret: 'a secret of the platform',
        cloudfront_key_pair_id: 'K2JCJMDEHXQW5F',
        cloudfront_private_key: keys.privateKey,
        cloudfront_hosts: [mediaHost],
      },
    }),
    unowned: { 'body.cloudfront_key_pair_id': 'a name of CloudFront’s' },
  },
  getMediaToken: {
    request: async (world, caller) => {
      const media = randomUUID();
      await grantTo(world, caller, await insertItem(world, { media }));
      await configureMedia(world);
      return { query: { app_config_id: 'player', media_id: media } };
    },
    unowned: {
      'query.media_id': 'a name of the platform’s: looked for among the items of the caller’s merchant',
      'query.app_config_id': 'a name of the player’s',
    },
  },
  getSignedUrl: {
    request: async (world, caller) => {
      const id = await insertItem(world);
      await grantTo(world, caller, id);
      await configureMedia(world);
      return { params: { id }, query: { url: `https://${mediaHost}/final.mp4` } };
    },
    owned: { 'params.id': 'merchant' },
  },
};
