import { z } from 'zod';
import { followerEndpoints } from '../../../accounts/followers/endpoints';
import { master, scopes } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm } from '../fields';
import { asking, carryOut, IdPath, inConsole, listQuery, named } from '../frame';
import { badge, fileOf } from '../lists';
import { showSettings } from './settings';

const mine = { ...inConsole, auth: master() } as const;
const address = '/console/settings/followers';

export const followerPages = {
  showFollowers: page({
    ...mine,
    method: 'get',
    path: address,
    summary: 'The follower accounts',
    query: z.object(listQuery),
    handler: (visit) => followersPage(visit, { done: visit.query.done }),
  }),
  createFollowerInConsole: page({
    ...mine,
    method: 'post',
    path: address,
    summary: 'Makes a follower account',
    form: AnyForm,
    handler: async (visit) => {
      const body = { ...visit.form, scopes: chosen(visit.form) };
      return carryOut(visit, {
        work: () => visit.call(followerEndpoints.createFollower, { body }),
        again: (complaint) => followersPage(visit, { complaint, values: visit.form }),
        next: `${address}?done=created`,
      });
    },
  }),
  updateFollower: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}`,
    summary: 'Says what a follower may do',
    params: IdPath,
    form: AnyForm,
    handler: async (visit) => {
      const body = { follower_id: visit.params.id, scopes: chosen(visit.form) };
      return carryOut(visit, {
        work: () => visit.call(followerEndpoints.updateRelation, { body }),
        again: (complaint) => followersPage(visit, { complaint }),
        next: `${address}?done=saved`,
      });
    },
  }),
  removeFollower: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}/remove`,
    summary: 'Takes every scope from a follower',
    params: IdPath,
    handler: async (visit) => {
      await visit.call(followerEndpoints.removeRelation, { body: { follower_id: visit.params.id } });
      return new Redirect(`${address}?done=deleted`);
    },
  }),
};

/** One checkbox a scope; none of them is a list of none. */
function chosen(sent: Record<string, unknown>): string[] {
  const list = scopes.filter((scope) => sent[`scope_${scope}`] === 'true');
  return list.length > 0 ? list : [''];
}

interface Tried {
  complaint?: Complaint;
  values?: Record<string, unknown>;
  done?: string | undefined;
}

async function followersPage(visit: Visit, { complaint, values = {}, done }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const followers = await visit.call(followerEndpoints.listFollowers);
  const cards = followers.map((follower) => {
    const content = html`${scopeBoxes(texts, follower.scopes, String(follower.id))} ${submit(t('common.save'))}`;
    return html`<section class="card stack">
      <div class="row spread">
        <h2>${follower.full_name || follower.email} ${badge(texts, follower.active ? 'active' : 'inactive')}</h2>
        ${asking(visit, { action: `${address}/${follower.id}/remove`, label: t('console.followers.remove'), question: t('console.followers.removeQuestion') })}
      </div>
      <p class="quiet">${follower.email}</p>
      ${form(visit, { action: `${address}/${follower.id}`, content })}
    </section>`;
  });
  const known = (name: string) => ({
    name,
    value: typeof values[name] === 'string' ? values[name] : undefined,
    complaint,
    isRequired: true,
  });
  const content = html`${complaints(texts, complaint, ['full_name', 'email', 'password'])}
    <div class="halves">
      ${field(texts, { ...known('full_name'), label: t('common.fullName') })}
      ${field(texts, { ...known('email'), type: 'email', label: t('common.email') })}
      ${field(texts, { ...known('password'), value: undefined, type: 'password', label: t('common.password'), autocomplete: 'new-password' })}
    </div>
    ${scopeBoxes(
      texts,
      scopes.filter((scope) => values[`scope_${scope}`] === 'true'),
      'new',
    )}
    ${submit(t('console.followers.create'))}`;
  const list = followers.length === 0 ? html`<div class="card empty">${t('console.followers.none')}</div>` : cards;
  const whole = html`<p class="quiet">${t('console.followers.explain')}</p>
    ${list} ${fileOf(visit, texts, followers, { list: 'followers', query: {} })}
    <section class="card stack">
      <h2>${t('console.followers.create')}</h2>
      ${form(visit, { action: address, content })}
    </section>`;
  return showSettings(visit, { tab: 'followers', done }, whole, complaint ? { status: 422 } : {});
}

function scopeBoxes(texts: Texts, held: readonly string[], of: string): Html {
  const boxes = scopes.map((scope) => {
    const id = `scope-${of}-${scope.replace(':', '-')}`;
    return html`<div class="check">
      <input type="checkbox" id="${id}" name="scope_${scope}" value="true" ${held.includes(scope) ? 'checked' : ''} />
      <label for="${id}" title="${scope}">${named(texts, 'scopes', scope)}</label>
    </div>`;
  });
  return html`<fieldset class="field">
    <legend>${texts.t('console.followers.scopes')}</legend>
    <div class="grid tightly">${boxes}</div>
  </fieldset>`;
}
