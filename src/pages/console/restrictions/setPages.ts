import { merchant } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { page, type Shown, type Visit } from '../../../kit/pages/page';
import { submit } from '../../layout/forms';
import { textsFor } from '../../layout/texts';
import { AnyForm, type Tried } from '../fields';
import { asking, carryOut, formCard, IdPath, inConsole, refusedIf, showInConsole } from '../frame';
import { restrictionsPage } from './restrictions';
import { countrySets, geoSets, setFields, type SetKind, storedSet } from './sets';

const mine = { ...inConsole, auth: merchant('restrictions:write') } as const;
const overview = '/console/restrictions';

function pagesOf(kind: SetKind, what: string) {
  const { address, name } = kind;
  return {
    showNew: page({
      ...mine,
      method: 'get',
      path: `${address}/new`,
      summary: `A new one: ${what}`,
      handler: (visit) => Promise.resolve(newSetPage(visit, kind, {})),
    }),
    create: page({
      ...mine,
      method: 'post',
      path: address,
      summary: `Adds ${what}`,
      form: AnyForm,
      handler: (visit) =>
        carryOut(visit, {
          work: () => kind.create(visit, kind.body(visit.form)),
          again: (complaint) => newSetPage(visit, kind, { complaint, values: { global: 'false', ...visit.form } }),
          next: `${overview}?done=created`,
        }),
    }),
    show: page({
      ...mine,
      method: 'get',
      path: `${address}/{id}`,
      summary: `Shows ${what}`,
      params: IdPath,
      handler: (visit) => setPage(visit, kind, visit.params.id, {}),
    }),
    update: page({
      ...mine,
      method: 'post',
      path: `${address}/{id}`,
      summary: `Changes ${what}`,
      params: IdPath,
      form: AnyForm,
      handler: (visit) => {
        const { params, form } = visit;
        return carryOut(visit, {
          work: () => kind.update(visit, params.id, kind.body(form)),
          again: (complaint) => setPage(visit, kind, params.id, { complaint, values: { global: 'false', ...form } }),
          next: `${overview}?done=saved`,
        });
      },
    }),
    remove: page({
      ...mine,
      method: 'post',
      path: `${address}/{id}/delete`,
      summary: `Deletes ${what}`,
      params: IdPath,
      handler: (visit) =>
        carryOut(visit, {
          work: () => kind.remove(visit, visit.params.id),
          again: (complaint) => restrictionsPage(visit, { part: name, complaint }),
          next: `${overview}?done=deleted`,
        }),
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

function newSetPage(visit: Visit, kind: SetKind, { values, complaint }: Tried): Shown {
  const texts = textsFor(visit);
  const { t } = texts;
  const title = t(`console.restrictions.add.${kind.name}`);
  const back = { address: overview, text: t('console.sections.restrictions') };
  const card = formCard(visit, kind.address, html`${setFields(texts, kind, { values, complaint })} ${submit(title)}`);
  return showInConsole(visit, { section: 'restrictions', title, back }, card, refusedIf(complaint));
}

async function setPage(visit: Visit, kind: SetKind, id: string, { values, complaint }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { name, address } = kind;
  const stored = await kind.get(visit, id);
  const fields = setFields(texts, kind, { values: values ?? storedSet(stored), complaint });
  const place = {
    section: 'restrictions',
    title: stored.name,
    back: { address: overview, text: t('console.sections.restrictions') },
    actions: asking(visit, {
      action: `${address}/${id}/delete`,
      label: t('console.delete'),
      question: t(`console.restrictions.deleteQuestions.${name}`),
    }),
  } as const;
  const card = formCard(visit, `${address}/${id}`, html`${fields} ${submit(t('common.save'))}`);
  return showInConsole(visit, place, card, refusedIf(complaint));
}
