import { grantEndpoints } from '../../../customers/grants.endpoints';
import { extensionDaysMax } from '../../../kit/form';
import { html, type Html } from '../../../kit/html';
import { subscriptionChangeEndpoints } from '../../../subscriptions/changes/changes.endpoints';
import { isUnderWay } from '../../customer/subscriptionChanges';
import { type Complaint } from '../../layout/explain';
import { field } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { filled, type Values } from '../fields';
import { type MerchantVisit } from '../frame';

/** The field of an extension, and its request. */

export const extensionFieldNames = ['days'] as const;

interface State {
  complaint?: Complaint | undefined;
  values: Values;
}

export function extensionFields(texts: Texts, { complaint, values }: State): Html {
  const { t } = texts;
  const { days = '7' } = values;
  return html`${field(texts, {
    ...filled({ days }, complaint)('days'),
    type: 'number',
    label: t('console.extend.days'),
    hint: t('console.extend.hint', { count: extensionDaysMax }),
    isRequired: true,
    more: { min: '1', max: String(extensionDaysMax) },
  })}`;
}

/** `id`: the id of access, or of the subscription that gives it. Returns the confirmation for the next page. */
export async function extendById(visit: MerchantVisit, id: string, days: unknown): Promise<'changed' | 'underWay'> {
  const sent = { params: { id }, body: { days } };
  if (!id.startsWith('S-')) {
    await visit.callOnce(grantEndpoints.extendAccess, sent);
    return 'changed';
  }
  const done = await visit.callOnce(subscriptionChangeEndpoints.extendSubscription, sent);
  return isUnderWay(done) ? 'underWay' : 'changed';
}
