import { accessCodeEndpoints } from '../../../items/accessCodes.endpoints';
import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { copyableInRow } from '../../layout/copyable';
import { type RowOf } from '../../layout/answers';
import { complaints, field, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { dayField } from '../../layout/times';
import { changesOf } from '../changes';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { filled } from '../fields';
import { confirmButton, formCard, refusedIf, showInConsole } from '../frame';
import { type Column, day, facts, given, mayDo, mayUse, pager, table, when, fileOf } from '../lists';
import { storedItem } from './items';
import { itemTabs } from './tabs';

const address = '/console/items/{id}/codes';
const pages = crudPages({
  address,
  key: 'code_id',
  auth: merchant('items:read'),
  writing: merchant('items:write'),
  list: codesPage,
  one: sessionsPage,
});
const { createAccessCode, deleteAccessCode, deleteCodeSession, listAccessCodes, listCodeSessions } =
  accessCodeEndpoints;

/** Access codes of an item, each for a number of devices. */
export const codePages = {
  showAccessCodes: pages.list('The access codes of an item'),
  createAccessCodeInConsole: pages.create('Creates an access code', ({ callOnce, params, form: body }) =>
    callOnce(createAccessCode, { params, body }),
  ),
  deleteAccessCodeInConsole: pages.delete(
    'Ends an access code and its sessions',
    ({ call, params: { code_id } }) => call(deleteAccessCode, { params: { code_id } }),
    { again: codesPage },
  ),
  showCodeSessions: pages.show('The devices that use an access code'),
  endCodeSession: pages.act('sessions/end')(
    'Ends the session of a device',
    async (visit) => {
      await findCode(visit);
      const params = { code_id: visit.params.code_id, fingerprint: visit.form['fingerprint'] ?? '' };
      return visit.call(deleteCodeSession, { params });
    },
    { again: codesPage, next: `${address}/{code_id}?done=deleted` },
  ),
};

const codeFields = ['code', 'device_limit', 'expires_at'];

async function codesPage(visit: VisitWith<'id'>, state: PageState): Promise<PageResponse> {
  const { complaint, done, page } = state;
  const { id } = visit.params;
  const texts = textsFor(visit);
  const { t } = texts;
  const own = `/console/items/${id}/codes`;
  const item = await storedItem(visit, id);
  const found = await visit.call(listAccessCodes, { params: { id }, query: given({ page }) });
  const list = table({
    title: t('console.codes.title'),
    rows: found.collection,
    empty: t('console.codes.none'),
    columns: codeColumns(visit, texts, own),
  });
  const note =
    item.access_control_type.name === 'Code' ? '' : html`<p class="alert">${t('console.codes.notByCode')}</p>`;
  const place = {
    section: 'catalogue',
    title: item.title,
    back: { address: '/console/items', text: t('console.sections.catalogue') },
    done,
  } as const;
  const whole = html`${itemTabs(visit, texts, id, '/codes')} ${note} ${list}
  ${pager(visit, texts, found, { list: 'access-codes', query: { item_id: id } })}
  ${mayUse(visit, createAccessCode) && formCard(visit, own, newCode(texts, state), t('console.codes.create'))}`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

/** `own`: the URL of the codes of the item. */
function codeColumns(visit: Visit, texts: Texts, own: string): Column<RowOf<typeof listAccessCodes>>[] {
  const { t, number } = texts;
  const remove = { label: t('console.delete'), question: t('console.codes.deleteQuestion') };
  return [
    {
      title: t('console.fields.code'),
      cell: ({ code }) => copyableInRow(texts, { value: code, shown: html`<code dir="ltr">${code}</code>` }),
    },
    {
      title: t('console.codes.devices'),
      cell: ({ code_id, devices, device_limit }) =>
        html`<a href="${own}/${code_id}"><bdi dir="ltr">${number(devices)} / ${number(device_limit)}</bdi></a>`,
      isNumber: true,
    },
    { title: t('console.fields.until'), cell: ({ expires_at }) => day(texts, expires_at) },
    { title: t('console.fields.createdAt'), cell: ({ created_at }) => day(texts, created_at) },
    {
      title: t('console.fields.actions'),
      cell: ({ code_id }) =>
        mayUse(visit, deleteAccessCode) && confirmButton(visit, { ...remove, action: `${own}/${code_id}/delete` }),
    },
  ];
}

function newCode(texts: Texts, { values = {}, complaint }: PageState): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  return html`${complaints(texts, complaint, codeFields)}
    <div class="halves">
      ${field(texts, { ...known('code'), label: t('console.fields.code'), hint: t('console.codes.codeHint'), more: { 'data-secret': '' } })}
      ${field(texts, { ...known('device_limit'), label: t('console.codes.deviceLimit'), hint: t('console.codes.deviceLimitHint'), inputmode: 'numeric' })}
      ${dayField(texts, { ...known('expires_at'), label: t('console.fields.until') })}
    </div>
    ${submit(t('console.codes.create'))}`;
}

const listMax = 500;

type CodeVisit = VisitWith<'id' | 'code_id'>;

/** Finds a code among those of the merchant's item. The endpoint of its devices would accept any existing code. */
async function findCode({ call, params: { id, code_id } }: CodeVisit) {
  for (let at = 1; ; at += 1) {
    const query = { page: at, limit: listMax };
    const { collection, total } = await call(listAccessCodes, { params: { id }, query });
    const found = collection.find((each) => String(each.code_id) === code_id);
    if (found) return found;
    if (at * listMax >= total) throw new AppError('access_code_not_found');
  }
}

async function sessionsPage(visit: CodeVisit, { done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t, number } = texts;
  const { id, code_id } = visit.params;
  const { code, device_limit, expires_at } = await findCode(visit);
  const sessions = await visit.call(listCodeSessions, { params: { code_id } });
  const list = table({
    title: t('console.codes.sessions'),
    rows: sessions,
    empty: t('console.codes.noSessions'),
    columns: sessionColumns(visit, texts),
  });
  const place = {
    section: 'catalogue',
    title: t('console.codes.sessions'),
    back: { address: `/console/items/${id}/codes`, text: t('console.codes.title') },
    done,
  } as const;
  const about = facts([
    [t('console.fields.code'), html`<code dir="ltr">${code}</code>`],
    [t('console.codes.deviceLimit'), number(device_limit)],
    [t('console.fields.until'), day(texts, expires_at)],
  ]);
  const csv = { list: 'access-code-devices', query: { item_id: id, code_id } } as const;
  const whole = html`<section class="card">${about}</section>
    <p class="quiet">${t('console.codes.sessionsHint')}</p>
    ${list} ${fileOf(visit, texts, sessions, csv)}
    ${await changesOf(visit, texts, { type: 'access_code', id: code_id })}`;
  return showInConsole(visit, place, whole);
}

function sessionColumns(visit: CodeVisit, texts: Texts): Column<RowOf<typeof listCodeSessions>>[] {
  const { t } = texts;
  const { id, code_id } = visit.params;
  const end = (fingerprint: string) =>
    mayDo(visit, 'items:write') &&
    form(visit, {
      action: `/console/items/${id}/codes/${code_id}/sessions/end`,
      content: html`<input type="hidden" name="fingerprint" value="${fingerprint}" />
        ${submit(t('console.codes.endSession'), { kind: 'slim' })}`,
    });
  return [
    { title: t('console.codes.device'), cell: ({ agent_info }) => agent_info || t('console.none') },
    { title: t('console.codes.fingerprint'), cell: (row) => html`<code dir="ltr">${row.browser_fingerprint}</code>` },
    { title: t('console.codes.lastUsed'), cell: ({ last_used }) => when(texts, last_used) },
    { title: t('console.fields.actions'), cell: ({ browser_fingerprint }) => end(browser_fingerprint) },
  ];
}
