import { randomUUID } from 'node:crypto';
import { call } from '../client';
import { type Person } from '../factories';
import { type World } from '../world';
import { type Example, type Examples } from './example';

const media = '/v2/accounts/media';
const mediaId = () => `media-${randomUUID()}`;
const namesVideo = { 'body.media_id': 'a name of the video platform’s' };

const favorite: Example = {
  request: async ({ app }, caller) => {
    const id = mediaId();
    await call(app, 'POST', `${media}/favorites`, { media_id: id }, caller);
    return { params: { media_id: id } };
  },
  owned: { 'params.media_id': 'account' },
};

const watched: Example = {
  request: async ({ app }, caller) => {
    const id = mediaId();
    await call(app, 'PATCH', `${media}/watch-history`, { media_id: id, progress: 0.5 }, caller);
    return { params: { media_id: id } };
  },
  owned: { 'params.media_id': 'account' },
};

async function createProfile({ app }: World, caller: Person): Promise<string> {
  const fields = { name: `Kid ${randomUUID()}`, adult: false };
  const { body } = await call<{ id: string }>(app, 'POST', '/v2/accounts/profiles', fields, caller);
  return body.id;
}

const profile: Example = {
  request: async (world, caller) => ({ params: { id: await createProfile(world, caller) } }),
  owned: { 'params.id': 'account' },
};

/** Of the merchant, which may be a follower that may make none. */
async function insertItem({ app, merchant }: World): Promise<number> {
  const text = `INSERT INTO items (merchant_id, title, item_type) VALUES ($1, 'Final', 'html_asset') RETURNING id`;
  const { rows } = await app.pool.query<{ id: number }>(text, [merchant.id]);
  return rows[0]?.id ?? 0;
}

const integration = { 'params.integration': 'one of the words for the live chat' };
const provider = { 'params.provider': 'a name of the settings’' };
const redirect = 'https://reader.example/signed-in';

/** The query with which an app begins a sign-in at a provider. */
async function appState({ app, merchant }: World): Promise<string> {
  const text = 'UPDATE oauth_apps SET redirect_uris = ARRAY[$2] WHERE merchant_id = $1 AND is_default';
  await app.pool.query(text, [merchant.id, redirect]);
  return Buffer.from(JSON.stringify({ client_id: merchant.uuid, redirect })).toString('base64');
}

/** Endpoints for favourites, histories, profiles and sign-ins at other services. */
export const viewerExamples: Examples = {
  listFavorites: { request: () => ({ query: { limit: 3 } }) },
  createFavorite: { request: () => ({ body: { media_id: mediaId() } }), unowned: namesVideo },
  getFavorite: favorite,
  deleteFavorite: favorite,
  listWatchHistory: { request: () => ({ query: { filter: 'watched', limit: 3 } }) },
  updateWatchHistory: { request: () => ({ body: { media_id: mediaId(), progress: '0.25' } }), unowned: namesVideo },
  getWatch: watched,
  deleteWatch: watched,
  listProfiles: { request: () => ({}) },
  createProfile: {
    request: () => ({
      body: { name: `Kid ${randomUUID()}`, adult: false, avatar_url: 'https://a.example/1.png', pin: '1234' },
    }),
  },
  getProfile: profile,
  updateProfile: {
    request: async (world, caller) => ({
      params: { id: await createProfile(world, caller) },
      body: { name: `Teen ${randomUUID()}`, adult: true },
    }),
    owned: { 'params.id': 'account' },
  },
  deleteProfile: profile,
  enterProfile: profile,
  createExternalAccount: {
    request: ({ item }) => ({
      params: { integration: 'livelike' },
      body: { item_id: item.id, nickname: 'ana' },
    }),
    owned: { 'body.item_id': 'merchant' },
    unowned: integration,
  },
  renameExternalAccount: {
    request: async (world, caller) => {
      const fields = { item_id: await insertItem(world) };
      await call(world.app, 'POST', '/v2/accounts/external/livelike', fields, caller);
      return { params: { integration: 'livelike' }, body: { nickname: 'ana-p' } };
    },
    unowned: integration,
  },
  listSocialLinks: { request: async (world) => ({ query: { state: await appState(world) } }) },
  startSocialSignIn: {
    request: async (world) => ({ params: { provider: 'facebook' }, query: { state: await appState(world) } }),
    unowned: provider,
  },
  endSocialSignIn: {
    request: async (world) => {
      const state = encodeURIComponent(await appState(world));
      const { headers } = await call(world.app, 'GET', `/accounts/social/facebook?state=${state}`);
      const sent = new URL(headers.get('location') ?? '').searchParams.get('state');
      return {
        params: { provider: 'facebook' },
        query: { state: sent, error: 'access_denied' },
        headers: { Cookie: headers.get('set-cookie')?.split(';')[0] ?? '' },
      };
    },
    unowned: provider,
  },
};
