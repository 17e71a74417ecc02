import { itemEndpoints } from '../../../items/items.endpoints';
import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { type Complaint } from '../../layout/explain';
import { select } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { dayField } from '../../layout/times';
import { filled, type Values } from '../fields';

/** The fields of access that a merchant grants by hand. */

export const grantFieldNames = ['item_id', 'expires_at'] as const;

/** The menu of the form has this many items. The API can grant access to every item. */
const choicesMax = 500;

interface State {
  complaint?: Complaint | undefined;
  values: Values;
}

export async function grantFields(visit: Visit, texts: Texts, { complaint, values }: State): Promise<Html> {
  const { t } = texts;
  const known = filled(values, complaint);
  const items = await visit.call(itemEndpoints.listItems, { query: { active: 'active', limit: choicesMax } });
  const choices = [['', ''] as const, ...items.collection.map((item) => [String(item.id), item.title] as const)];
  return html`<div class="halves">
    ${select(texts, { ...known('item_id'), label: t('console.fields.item'), choices, isRequired: true })}
    ${dayField(texts, { ...known('expires_at'), label: t('console.fields.until'), isRequired: true })}
  </div>`;
}
