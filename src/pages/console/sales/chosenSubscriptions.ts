import { namesOf } from '../../../accounts/registeredUsers';
import { eachInParallel } from '../../../kit/concurrency';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { subscriptionChangeEndpoints } from '../../../subscriptions/changes/changes.endpoints';
import { subscriptionEndpoints } from '../../../subscriptions/subscriptions.endpoints';
import { type AnswerOf } from '../../layout/answers';
import { atOnce, bulkPages, type BulkList } from '../bulk';
import { type MerchantVisit } from '../frame';
import { breakable } from '../lists';
import { extensionFieldNames, extensionFields } from './extensions';

/** Actions on several subscriptions. */
export const chosenSubscriptions: BulkList = {
  name: 'subscriptions',
  scope: 'payments:read',
  actions: [
    {
      name: 'cancel',
      scopes: ['payments:write'],
      isDangerous: true,
      work: ({ callOnce }, id) =>
        callOnce(subscriptionChangeEndpoints.cancelSubscription, { params: { id }, body: { at: 'period_end' } }),
    },
    {
      name: 'extend',
      scopes: ['payments:write'],
      fields: (_visit, texts, state) => Promise.resolve(extensionFields(texts, state)),
      fieldNames: extensionFieldNames,
      work: ({ callOnce }, id, { days }) =>
        callOnce(subscriptionChangeEndpoints.extendSubscription, { params: { id }, body: { days } }),
    },
  ],
  namesOf: async (visit, ids) => {
    const found = await findAll(visit, ids);
    const people = await namesOf(
      visit.caller,
      found.map(({ account_id }) => account_id),
    );
    return new Map(found.map((row) => [row.subscription_id, shown(row, people.get(row.account_id)?.name)]));
  },
};

const pages = bulkPages(chosenSubscriptions);

export const chosenSubscriptionPages = {
  confirmChosenSubscriptions: pages.show,
  changeChosenSubscriptions: pages.carryOut,
};

type Subscription = AnswerOf<typeof subscriptionEndpoints.getSubscription>;

/** The rows that exist. An unknown id and one of another merchant have none. */
async function findAll(visit: MerchantVisit, ids: readonly string[]): Promise<Subscription[]> {
  const found: Subscription[] = [];
  await eachInParallel(ids, atOnce, async (id) => {
    try {
      found.push(await visit.call(subscriptionEndpoints.getSubscription, { params: { id } }));
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 404) throw error;
    }
  });
  return found;
}

const shown = ({ subscription_id: id, item_title, description }: Subscription, email: string | undefined): Html =>
  html`<div>
    <a href="/console/subscriptions/${id}"><bdi>${item_title}</bdi></a>
    <p class="quiet small">
      <bdi>${description}</bdi>${email !== undefined && html` · <bdi>${breakable(email)}</bdi>`}
    </p>
  </div>`;
