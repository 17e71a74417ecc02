import { itemEndpoints } from '../../../items/items.endpoints';
import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { field, submit } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { termOf } from '../lists';

/** The number of items in a menu. The search form finds other items. */
const choicesMax = 50;

/** The merchant's items on sale whose title contains a word, or the item with an id. Newest first. */
export async function findChoices(visit: Visit, find: string | undefined) {
  const search = find === undefined || find === '' ? {} : { search: [termOf(find)] };
  const query = { active: 'active', limit: choicesMax, ...search };
  return (await visit.call(itemEndpoints.listItems, { query })).collection;
}

/** The search form. The same page shows the result in its menu. */
export function findForm(texts: Texts, { action, place, find }: Finding): Html {
  const { t } = texts;
  return html`<form method="get" action="${action}#${place}" class="filters" role="search">
    ${field(texts, { name: 'find', type: 'search', value: find, label: t('console.items.find'), maxlength: 200, isFilter: true })}
    ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}

interface Finding {
  action: string;
  /** The id of the element that contains the menu. */
  place: string;
  find: string | undefined;
}
