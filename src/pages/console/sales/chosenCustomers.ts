import { namesOf } from '../../../accounts/registeredUsers';
import { grantEndpoints } from '../../../customers/grants.endpoints';
import { AppError } from '../../../kit/errors';
import { readId } from '../../../kit/form';
import { html } from '../../../kit/html';
import { bulkPages, type BulkList } from '../bulk';
import { breakable } from '../lists';
import { grantFieldNames, grantFields } from './grants';

/** Actions on several customers. */
export const chosenCustomers: BulkList = {
  name: 'customers',
  scope: 'accounts:read',
  actions: [
    {
      name: 'grant',
      scopes: ['items:read', 'items:write'],
      fields: grantFields,
      fieldNames: grantFieldNames,
      work: ({ callOnce }, id, { item_id, expires_at }) => {
        if (expires_at === undefined || expires_at === '')
          throw new AppError('missing_parameter', { errors: { expires_at: 'The expires_at must not be empty.' } });
        return callOnce(grantEndpoints.createGrant, { body: { consumer_id: id, item_id, expires_at } });
      },
    },
  ],
  namesOf: async ({ caller }, ids) => {
    const people = await namesOf(
      caller,
      ids.flatMap((id) => readId(id) ?? []),
    );
    const customers = [...people].filter(([, { isCustomer }]) => isCustomer);
    return new Map(
      customers.map(([id, { name, fullName }]) => [
        String(id),
        html`<div>
          <a href="/console/customers/${id}"><bdi>${breakable(name)}</bdi></a>
          <p class="quiet small"><bdi>${fullName}</bdi></p>
        </div>`,
      ]),
    );
  },
};

const pages = bulkPages(chosenCustomers);

export const chosenCustomerPages = {
  confirmChosenCustomers: pages.show,
  changeChosenCustomers: pages.carryOut,
};
