import { randomUUID } from 'node:crypto';
import { call } from '../client';
import { createConsumer, password, type Person } from '../factories';
import { cloneConsumer, createApp, createFollower, type World } from '../world';
import { type Examples } from './example';

const newEmail = () => `made-${randomUUID()}@example.org`;

async function createRegisterField({ app, merchant }: World): Promise<number> {
  const fields = { name: `field-${randomUUID()}`, label: 'City', type: 'text', required: false };
  const { body } = await call<{ id: number }>(app, 'POST', '/accounts/register-field', fields, merchant);
  return body.id;
}

async function removedFollower(world: World): Promise<Person> {
  const follower = await createFollower(world, []);
  await call(world.app, 'DELETE', '/accounts/merchants/relation', { follower_id: follower.id }, world.merchant);
  return follower;
}

const seller = {
  seller_name: 'News Ltd',
  address_line: 'Main St 1',
  postal_code: '10115',
  city: 'Berlin',
  country: 'DE',
};

async function addRegistration({ app }: World, caller: Person): Promise<number> {
  await call(app, 'PUT', '/v2/tax/settings', seller, caller);
  const fields = { country: 'AT', scheme: 'domestic' };
  const { body } = await call<{ registrations: { id: number; country: string }[] }>(
    app,
    'POST',
    '/v2/tax/registrations',
    fields,
    caller,
  );
  return body.registrations.find(({ country }) => country === 'AT')?.id ?? 0;
}

const newFollower = () => ({ full_name: 'Local News', email: newEmail(), password });

/** Endpoints with which a merchant manages its tenant. */
export const merchantExamples: Examples = {
  createCustomer: {
    request: () => ({ body: { email: newEmail(), full_name: 'Ana', password, metadata: { city: 'Bitola' } } }),
  },
  importCustomers: {
    request: () => ({ body: { csv: `email,full_name\n${newEmail()},Ana`, dry_run: false, send_mails: true } }),
    roomy: ['csv'],
  },
  getTimeline: {
    request: ({ consumer }) => ({ params: { id: consumer.id }, query: { page: 1, limit: 5 } }),
    owned: { 'params.id': 'merchant' },
  },
  listCustomerBalances: {
    request: ({ consumer }) => ({ params: { id: consumer.id } }),
    owned: { 'params.id': 'merchant' },
  },
  listBalanceMovements: {
    request: ({ consumer }) => ({ params: { id: consumer.id }, query: { currency: 'EUR', limit: 5 } }),
    owned: { 'params.id': 'merchant' },
  },
  adjustBalance: {
    request: async (world) => ({
      params: { id: (await cloneConsumer(world)).id },
      body: { amount: '-4.50', currency: 'EUR', note: 'Paid at the counter' },
    }),
    owned: { 'params.id': 'merchant' },
  },
  listRegisteredUsers: [
    { request: () => ({ query: { search: ['title:ana'], page: 1, size: 5, active: '1' } }) },
    {
      request: ({ consumer }) => ({ query: { search: [`id:${consumer.id}`] } }),
      owned: { 'query.search': 'merchant' },
    },
  ],
  deactivateAccount: {
    request: async ({ app, merchant }) => ({ body: { customerID: (await createConsumer(app, merchant)).id } }),
    owned: { 'body.customerID': 'merchant' },
  },
  getTaxSettings: { request: () => ({}) },
  setTaxProfile: { request: () => ({ body: seller }) },
  addTaxRegistration: {
    request: async ({ app, merchant }) => {
      await call(app, 'PUT', '/v2/tax/settings', seller, merchant);
      return { body: { country: 'DE', scheme: 'domestic', number: 'DE136695976' } };
    },
  },
  removeTaxRegistration: {
    request: async (world, caller) => ({ params: { id: await addRegistration(world, caller) } }),
    owned: { 'params.id': 'merchant' },
    spends: true,
  },
  setItemTaxKind: {
    request: ({ item }) => ({ params: { item_id: item.id }, body: { item_kind: 'press' } }),
    owned: { 'params.item_id': 'merchant' },
  },
  getTaxQuote: {
    request: ({ fee }) => ({ params: { access_fee_id: fee.id }, query: { amount: '4.50' } }),
    owned: { 'params.access_fee_id': 'merchant' },
  },
  getBillingDetails: { request: () => ({}) },
  setBillingDetails: { request: () => ({ body: { country: 'DE', name: 'Ana Ltd', tax_number: 'DE136695976' } }) },
  getSettings: { request: () => ({}) },
  updateSettings: { request: () => ({ body: { session_limit: 0 } }) },
  createRegisterField: {
    request: () => ({
      body: { name: `field-${randomUUID()}`, label: 'Colour', type: 'select', required: 0, options: { r: 'Red' } },
    }),
  },
  updateRegisterField: {
    request: async (world) => ({ body: { id: await createRegisterField(world), label: 'Town' } }),
    owned: { 'body.id': 'merchant' },
  },
  deleteRegisterField: {
    request: async (world) => ({ params: { id: await createRegisterField(world) } }),
    owned: { 'params.id': 'merchant' },
  },
  listRegisterFields: {
    request: ({ merchant }) => ({ params: { merchant_uuid: merchant.uuid } }),
    unowned: { 'params.merchant_uuid': 'names the tenant, which everyone knows' },
  },
  createApp: { request: () => ({ body: { name: 'Reader' } }) },
  listApps: { request: () => ({}) },
  updateApp: {
    request: async (world) => ({
      params: { id: (await createApp(world)).id },
      body: {
        active: true,
        sso: false,
        name: 'Reader 2',
        redirect_uris: ['https://reader.example/in'],
        redirect_origins: ['https://reader.example'],
      },
    }),
    owned: { 'params.id': 'merchant' },
  },
  deleteApp: {
    request: async (world) => ({ params: { id: (await createApp(world)).id } }),
    owned: { 'params.id': 'merchant' },
  },
  replaceAppSecret: {
    request: async (world) => ({ params: { id: (await createApp(world)).id } }),
    owned: { 'params.id': 'merchant' },
  },
  listFollowers: { request: () => ({}) },
  createFollower: [
    { request: () => ({ body: { ...newFollower(), scopes: ['items:read'], methods: { 1: true } } }) },
    {
      request: async (world) => ({ body: { follower_id: (await removedFollower(world)).id } }),
      owned: { 'body.follower_id': 'merchant' },
    },
    {
      request: ({ merchant }) => ({ body: { ...newFollower(), master_id: merchant.id } }),
      owned: { 'body.master_id': 'merchant' },
    },
  ],
  updateRelation: {
    request: async (world) => ({
      body: { follower_id: (await createFollower(world, [])).id, scopes: ['items:read'], methods: { 1: false } },
    }),
    owned: { 'body.follower_id': 'merchant' },
  },
  removeRelation: {
    request: async (world) => ({ body: { follower_id: (await createFollower(world, [])).id } }),
    owned: { 'body.follower_id': 'merchant' },
  },
  impersonateFollower: {
    request: async (world) => {
      const { id, uuid, email } = await createFollower(world, []);
      const proof = { client_id: world.merchant.uuid, grant_type: 'social', password };
      return { body: { sign_in_as: id, uuid, email, ...proof } };
    },
    owned: { 'body.sign_in_as': 'merchant', 'body.uuid': 'merchant', 'body.email': 'merchant' },
    unowned: { 'body.client_id': 'names the tenant, which everyone knows' },
  },
  impersonateCustomer: {
    request: ({ consumer }) => ({ body: { customer_id: consumer.id } }),
    owned: { 'body.customer_id': 'merchant' },
  },
  listFeatures: { request: () => ({}) },
  setFeature: {
    request: () => ({ params: { name: 'gifts' }, body: { enabled: true } }),
    unowned: { 'params.name': 'a name of the merchant’s own' },
  },
  listAudit: {
    request: ({ merchant }) => ({ query: { page: 1, action: 'impersonation.start', actor_account_id: merchant.id } }),
    owned: { 'query.actor_account_id': 'merchant' },
    unowned: { 'query.object_id': 'a filter of the audit log, which is each merchant’s own' },
  },
  listUndeliveredMails: { request: () => ({ query: { size: 2 } }) },
  listTestMailbox: { request: ({ consumer }) => ({ query: { to: consumer.email, size: 2 } }) },
};
