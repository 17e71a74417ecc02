import { merchant } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { submit } from '../../layout/forms';
import { textsFor } from '../../layout/texts';
import { changesOf } from '../changes';
import { crudPages, formPage, type PageState, type VisitWith } from '../crudPages';
import { formCard, refusedIf, showInConsole } from '../frame';
import { restrictionsPage } from './restrictions';
import { countrySets, deleteSet, geoSets, setFields, type SetKind, storedSet } from './sets';

const auth = merchant('restrictions:write');
const overview = '/console/restrictions';

function pagesOf(kind: SetKind, what: string) {
  const { address, name } = kind;
  const one = (visit: VisitWith<'id'>, state: PageState) => setPage(visit, kind, state);
  const blank = (visit: Visit, state: PageState) => newSetPage(visit, kind, state);
  const pages = crudPages({ address, auth, list: restrictionsPage, blank, one, home: overview });
  return {
    showNew: pages.new(`A new one: ${what}`),
    create: formPage({
      auth,
      path: address,
      summary: `Adds ${what}`,
      work: (visit) => kind.create(visit, kind.body(visit.form)),
      again: blank,
      next: `${overview}?done=created`,
    }),
    show: pages.show(`Shows ${what}`),
    update: pages.update(`Changes ${what}`, (visit) => kind.update(visit, visit.params.id, kind.body(visit.form))),
    remove: pages.delete(`Deletes ${what}`, (visit) => kind.remove(visit, visit.params.id), {
      again: (visit, { complaint }) => restrictionsPage(visit, { part: name, complaint }),
    }),
  };
}

const countries = pagesOf(countrySets, 'a set of countries');
const places = pagesOf(geoSets, 'a set of places');

export const setPages = {
  showNewCountrySet: countries.showNew,
  addCountrySet: countries.create,
  showCountrySet: countries.show,
  updateCountrySetInConsole: countries.update,
  deleteCountrySetInConsole: countries.remove,
  showNewGeoSet: places.showNew,
  addGeoSet: places.create,
  showGeoSet: places.show,
  updateGeoSetInConsole: places.update,
  deleteGeoSetInConsole: places.remove,
};

/** Browsers do not send an unchecked box. An absent one therefore means a set that does not apply to every item. */
const sent = ({ values, complaint }: PageState) => ({ complaint, values: values && { global: 'false', ...values } });

function newSetPage(visit: Visit, kind: SetKind, state: PageState): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const title = t(`console.restrictions.add.${kind.name}`);
  const back = { address: overview, text: t('console.sections.restrictions') };
  const card = formCard(visit, kind.address, html`${setFields(texts, kind, sent(state))} ${submit(title)}`);
  return showInConsole(visit, { section: 'restrictions', title, back }, card, refusedIf(state.complaint));
}

async function setPage(visit: VisitWith<'id'>, kind: SetKind, state: PageState): Promise<PageResponse> {
  const { id } = visit.params;
  const texts = textsFor(visit);
  const { t } = texts;
  const stored = await kind.get(visit, id);
  const { values = storedSet(stored), complaint } = sent(state);
  const place = {
    section: 'restrictions',
    title: stored.name,
    back: { address: overview, text: t('console.sections.restrictions') },
    actions: deleteSet(visit, texts, kind, id),
  } as const;
  const fields = html`${setFields(texts, kind, { values, complaint })} ${submit(t('common.save'))}`;
  const card = formCard(visit, `${kind.address}/${id}`, fields);
  const changes = await changesOf(visit, texts, { type: kind.object, id });
  return showInConsole(visit, place, html`${card} ${changes}`, refusedIf(complaint));
}
