import { randomUUID } from 'node:crypto';
import { createConsumer, createItem, createMerchant, password, type Person } from '../factories';
import { type World } from '../world';
import { type Examples } from './example';

const anyTheme = { 'body.branding_id': 'whatever names no theme means the default one' };

/** A mail to the merchant itself, with a file. */
async function mailedFile({ app, merchant }: World): Promise<number> {
  const { queueMail } = await import('../../../src/mail/mail.js');
  const { transaction } = await import('../../../src/adapters/postgres/connection.js');
  const parts = async function* () {
    yield Promise.resolve('{"account":{}}');
  };
  const mail = { merchantId: merchant.id, to: merchant.email, template: 'account_export', values: {} } as const;
  await transaction((inTransaction) => queueMail(inTransaction, mail, { name: 'account.json', parts: parts() }));
  const text = 'SELECT max(id)::int AS id FROM mails WHERE merchant_id = $1 AND attachment_name IS NOT NULL';
  const { rows } = await app.pool.query<{ id: number }>(text, [merchant.id]);
  return rows[0]?.id ?? 0;
}

/** The caller, or a customer of the caller's merchant. */
async function ownCustomer({ app, merchant }: World, caller: Person): Promise<Person> {
  if (caller.isStaff) return createConsumer(app, merchant);
  return caller.uuid === caller.merchantUuid ? createConsumer(app, caller) : caller;
}

/** Endpoints for a person's data, and for the data that merchants keep. */
export const privacyExamples: Examples = {
  exportAccount: {
    request: () => ({ body: { password, branding_id: 'undefined' } }),
    unowned: anyTheme,
    roomy: ['branding_id'],
    spends: true,
  },
  eraseAccount: [
    {
      request: async (world, caller) => ({
        body: {
          customer_id: (await ownCustomer(world, caller)).id,
          password,
          branding_id: 0,
        },
      }),
      owned: { 'body.customer_id': 'account' },
      unowned: anyTheme,
      roomy: ['branding_id'],
      spends: true,
    },
    { request: (_world, caller) => ({ body: { customer_id: caller.id, password } }), spends: true, unowned: anyTheme },
  ],
  getTestAttachment: {
    request: async (world) => ({ params: { id: await mailedFile(world) } }),
    owned: { 'params.id': 'merchant' },
  },
  captureData: {
    request: async ({ app }) => {
      // The merchant has no age rule, because this request has no account that could meet it.
      const merchant = await createMerchant(app);
      const item = await createItem(app, merchant, { access_control_type_id: 4 });
      return {
        body: {
          email: `reader-${randomUUID()}@example.org`,
          full_name: 'Ana Petrova',
          company: 'Petrova Ltd',
          merchant_uuid: merchant.uuid,
          item_id: item.id,
        },
      };
    },
    owned: { 'body.item_id': 'merchant' },
    unowned: { 'body.merchant_uuid': 'names the tenant, which everyone knows' },
  },
  listDataCaptures: { request: () => ({ query: { page: 1, size: 5 } }) },
  setPlatformKeys: {
    request: () => ({ body: { type: 'jw', public_key: 'site-1', private_key: 'secret', keys: { region: 'eu' } } }),
  },
};
