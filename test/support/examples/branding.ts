import { call } from '../client';
import { send } from '../raw';
import { type World } from '../world';
import { type Examples } from './example';

export const brandFields = {
  brand_name: 'The Cup Channel',
  paywall_cover_photo: 'https://cdn.example.org/cover.jpg',
  paywall_brand_logo: 'https://cdn.example.org/logo.png',
  paywall_primary_color: '#0a7',
  paywall_secondary_color: '#334455',
  paywall_buttons_bg_color: '#00aa77',
  paywall_buttons_text_color: '#FFFFFF',
  preview_top_border: 'false',
  service_protected_label: 'true',
  paywall_footer: '<p>Questions? <a href="mailto:help@example.org">Write to us</a></p>',
};

const theTenant = { 'params.merchant_uuid': 'names the tenant, which everyone knows' };

/** A brand of the merchant's that is not the default one. */
export async function createBrand({ app, merchant }: Pick<World, 'app' | 'merchant'>, fields: object = {}) {
  const { body } = await call<{ id: number }>(
    app,
    'POST',
    '/branding/paywall',
    { ...brandFields, ...fields },
    merchant,
  );
  return body.id;
}

/** A picture of one black point. */
const onePoint = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

async function imagePath({ app, merchant }: World) {
  const { token } = merchant;
  const { body } = await send<{ url: string }>(app, 'POST', '/v2/images/covers', { body: onePoint, token });
  const [merchant_uuid = '', hash = ''] = body.url.split('/').slice(-2);
  return { merchant_uuid, hash };
}

export const imageExamples: Examples = {
  uploadItemCover: { request: () => ({ raw: onePoint }) },
  uploadBrandImage: { request: () => ({ query: { kind: 'logo' }, raw: onePoint }) },
  getImage: {
    request: async (world) => ({ params: await imagePath(world) }),
    unowned: { ...theTenant, 'params.hash': 'shown to everybody' },
  },
};

export const brandingExamples: Examples = {
  createBrand: {
    request: () => ({
      body: {
        ...brandFields,
        preview_buttons_bg_color: '#123456',
        preview_buttons_text_color: '#fff',
        template_id: 7,
        terms_url: 'https://example.org/terms',
        dark_mode: true,
      },
    }),
    unowned: { 'body.template_id': 'one of seven for everyone' },
  },
  updateBrand: {
    request: async (world) => ({ body: { ...brandFields, id: await createBrand(world), default: true } }),
    owned: { 'body.id': 'merchant' },
    unowned: { 'body.template_id': 'one of seven for everyone' },
  },
  deleteBrand: {
    request: async (world) => ({ params: { id: await createBrand(world) } }),
    owned: { 'params.id': 'merchant' },
  },
  getDefaultBrand: { request: ({ merchant }) => ({ params: { merchant_uuid: merchant.uuid } }), unowned: theTenant },
  getBrand: {
    request: async (world) => ({ params: { merchant_uuid: world.merchant.uuid, id: await createBrand(world) } }),
    unowned: { ...theTenant, 'params.id': 'whatever names no theme means the default one' },
    forgiving: { 'params.id': 'the default theme' },
  },
};
