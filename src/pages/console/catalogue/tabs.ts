import { type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { type Texts } from '../../layout/texts';
import { mayDo, tabs } from '../lists';

export function catalogueTabs({ t }: Texts, current: string): Html {
  const pages = { '/console/items': t('console.items.all'), '/console/packages': t('console.packages.title') };
  return tabs(t('console.sections.catalogue'), pages, current);
}

/** The tabs of an item. */
export function itemTabs(
  visit: Visit,
  { t }: Texts,
  id: number | string,
  current: '' | '/codes' | '/restrictions',
): Html {
  const own = `/console/items/${id}`;
  const pages = {
    [own]: t('console.fields.item'),
    [`${own}/codes`]: t('console.codes.title'),
    ...(mayDo(visit, 'restrictions:write') && { [`${own}/restrictions`]: t('console.sections.restrictions') }),
  };
  return tabs(t('console.fields.item'), pages, `${own}${current}`);
}
