import { z } from 'zod';
import { accessCodeEndpoints } from '../../../items/accessCodes/endpoints';
import { type Caller, merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html } from '../../../kit/html';
import { page, type Shown, type Visit } from '../../../kit/pages/page';
import { complaints, field, form, submit } from '../../layout/forms';
import { textsFor } from '../../layout/texts';
import { AnyForm, filled, type Tried } from '../fields';
import { asking, carryOut, formCard, IdPath, inConsole, listQuery, refusedIf, showInConsole } from '../frame';
import { day, facts, given, pager, table, when, fileOf } from '../lists';
import { storedItem } from './items';
import { itemTabs } from './tabs';

const CodePath = z.object({ id: z.string(), code_id: z.string() });
const reading = { ...inConsole, auth: merchant('items:read'), method: 'get' } as const;
const writing = { ...inConsole, auth: merchant('items:write'), method: 'post' } as const;
type MerchantVisit = Visit & { caller: Caller };

/** Codes that open an item, each on a number of devices. */
export const codePages = {
  showAccessCodes: page({
    ...reading,
    path: '/console/items/{id}/codes',
    summary: 'The access codes of an item',
    params: IdPath,
    query: z.object(listQuery),
    handler: (visit) => codesPage(visit, visit.params.id, { at: visit.query.page, done: visit.query.done }),
  }),
  createAccessCodeInConsole: page({
    ...writing,
    path: '/console/items/{id}/codes',
    summary: 'Makes an access code',
    params: IdPath,
    form: AnyForm,
    handler: (visit) => {
      const { params, form: body } = visit;
      return carryOut(visit, {
        work: () => visit.call(accessCodeEndpoints.createAccessCode, { params, body }),
        again: (complaint) => codesPage(visit, params.id, { complaint, values: body }),
        next: `/console/items/${params.id}/codes?done=created`,
      });
    },
  }),
  deleteAccessCodeInConsole: page({
    ...writing,
    path: '/console/items/{id}/codes/{code_id}/delete',
    summary: 'Ends an access code and its sessions',
    params: CodePath,
    handler: (visit) => {
      const { id, code_id } = visit.params;
      return carryOut(visit, {
        work: () => visit.call(accessCodeEndpoints.deleteAccessCode, { params: { code_id } }),
        again: (complaint) => codesPage(visit, id, { complaint }),
        next: `/console/items/${id}/codes?done=deleted`,
      });
    },
  }),
  showCodeSessions: page({
    ...reading,
    path: '/console/items/{id}/codes/{code_id}',
    summary: 'The devices that use an access code',
    params: CodePath,
    query: z.object(listQuery),
    handler: sessionsPage,
  }),
  endCodeSession: page({
    ...writing,
    path: '/console/items/{id}/codes/{code_id}/sessions/end',
    summary: 'Ends the session of a device',
    params: CodePath,
    form: z.object({ fingerprint: z.string().optional() }),
    handler: async (visit) => {
      const { id, code_id } = visit.params;
      const params = { code_id, fingerprint: visit.form.fingerprint ?? '' };
      const next = `/console/items/${id}/codes/${code_id}?done=deleted`;
      return carryOut(visit, {
        work: async () => {
          await findCode(visit, id, code_id);
          return visit.call(accessCodeEndpoints.deleteCodeSession, { params });
        },
        again: (complaint) => codesPage(visit, id, { complaint }),
        next,
      });
    },
  }),
};

const codeFields = ['code', 'device_limit', 'expires_at'];

async function codesPage(
  visit: MerchantVisit,
  id: string,
  { complaint, values = {}, done, at }: Tried & { at?: string | undefined },
): Promise<Shown> {
  const texts = textsFor(visit);
  const { t, number } = texts;
  const own = `/console/items/${id}/codes`;
  const item = await storedItem(visit, id);
  const found = await visit.call(accessCodeEndpoints.listAccessCodes, { params: { id }, query: given({ page: at }) });
  const list = table({
    title: t('console.codes.title'),
    rows: found.collection,
    empty: t('console.codes.none'),
    columns: [
      { title: t('console.fields.code'), cell: ({ code }) => html`<code dir="ltr">${code}</code>` },
      {
        title: t('console.codes.devices'),
        cell: ({ code_id, devices, device_limit }) =>
          html`<a href="${own}/${code_id}">${number(devices)} / ${number(device_limit)}</a>`,
        isNumber: true,
      },
      { title: t('console.fields.until'), cell: ({ expires_at }) => day(texts, expires_at) },
      { title: t('console.fields.createdAt'), cell: ({ created_at }) => day(texts, created_at) },
      {
        title: t('console.fields.actions'),
        cell: ({ code_id }) =>
          asking(visit, {
            action: `${own}/${code_id}/delete`,
            label: t('console.delete'),
            question: t('console.codes.deleteQuestion'),
          }),
      },
    ],
  });
  const known = filled(values, complaint);
  const content = html`${complaints(texts, complaint, codeFields)}
    <div class="halves">
      ${field(texts, { ...known('code'), label: t('console.fields.code'), hint: t('console.codes.codeHint') })}
      ${field(texts, { ...known('device_limit'), label: t('console.codes.deviceLimit'), hint: t('console.codes.deviceLimitHint'), inputmode: 'numeric' })}
      ${field(texts, { ...known('expires_at'), type: 'date', label: t('console.fields.until') })}
    </div>
    ${submit(t('console.codes.create'))}`;
  const note =
    item.access_control_type.name === 'Code' ? '' : html`<p class="alert">${t('console.codes.notByCode')}</p>`;
  const place = {
    section: 'catalogue',
    title: item.title,
    back: { address: '/console/items', text: t('console.sections.catalogue') },
    done,
  } as const;
  const whole = html`${itemTabs(texts, id, '/codes')} ${note} ${list}
  ${pager(visit, texts, found, { list: 'access-codes', query: { item_id: id } })}
  ${formCard(visit, own, content, t('console.codes.create'))}`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

const listMax = 500;

/** The endpoint of a code's devices is for who knows the code; here it must be one of the merchant's item. */
async function findCode(visit: MerchantVisit, id: string, codeId: string) {
  for (let at = 1; ; at += 1) {
    const query = { page: at, limit: listMax };
    const { collection, total } = await visit.call(accessCodeEndpoints.listAccessCodes, { params: { id }, query });
    const found = collection.find(({ code_id }) => String(code_id) === codeId);
    if (found) return found;
    if (at * listMax >= total) throw new AppError('access_code_not_found');
  }
}

async function sessionsPage(
  visit: MerchantVisit & { params: z.output<typeof CodePath>; query: { done?: string | undefined } },
): Promise<Shown> {
  const texts = textsFor(visit);
  const { t, number } = texts;
  const { id, code_id } = visit.params;
  const own = `/console/items/${id}/codes`;
  const { code, device_limit, expires_at } = await findCode(visit, id, code_id);
  const sessions = await visit.call(accessCodeEndpoints.listCodeSessions, { params: { code_id } });
  const list = table({
    title: t('console.codes.sessions'),
    rows: sessions,
    empty: t('console.codes.noSessions'),
    columns: [
      { title: t('console.codes.device'), cell: ({ agent_info }) => agent_info || t('console.none') },
      { title: t('console.codes.fingerprint'), cell: (row) => html`<code dir="ltr">${row.browser_fingerprint}</code>` },
      { title: t('console.codes.lastUsed'), cell: ({ last_used }) => when(texts, last_used) },
      {
        title: t('console.fields.actions'),
        cell: ({ browser_fingerprint: fingerprint }) =>
          form(visit, {
            action: `${own}/${code_id}/sessions/end`,
            content: html`<input type="hidden" name="fingerprint" value="${fingerprint}" />
              ${submit(t('console.codes.endSession'), { kind: 'slim' })}`,
          }),
      },
    ],
  });
  const place = {
    section: 'catalogue',
    title: t('console.codes.sessions'),
    back: { address: own, text: t('console.codes.title') },
    done: visit.query.done,
  } as const;
  const about = facts([
    [t('console.fields.code'), html`<code dir="ltr">${code}</code>`],
    [t('console.codes.deviceLimit'), number(device_limit)],
    [t('console.fields.until'), day(texts, expires_at)],
  ]);
  const csv = { list: 'access-code-devices', query: { item_id: id, code_id } } as const;
  const whole = html`<section class="card">${about}</section>
    <p class="quiet">${t('console.codes.sessionsHint')}</p>
    ${list} ${fileOf(visit, texts, sessions, csv)}`;
  return showInConsole(visit, place, whole);
}
