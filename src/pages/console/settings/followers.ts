import { followerEndpoints } from '../../../accounts/merchants/followers.endpoints';
import { master, scopes } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { complaints, field, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState } from '../crudPages';
import { filled } from '../fields';
import { confirmButton, named, refusedIf } from '../frame';
import { badge, fileOf } from '../lists';
import { showSettings } from './settings';

const address = '/console/settings/followers';
const pages = crudPages({ address, auth: master(), list: followersPage });
const { createFollower, listFollowers, removeRelation, updateRelation } = followerEndpoints;

export const followerPages = {
  showFollowers: pages.list('The follower accounts'),
  createFollowerInConsole: pages.create('Creates a follower account', ({ call, form }) =>
    call(createFollower, { body: { ...form, scopes: chosen(form) } }),
  ),
  updateFollower: pages.update(
    'Changes the scopes of a follower',
    ({ call, params, form }) => call(updateRelation, { body: { follower_id: params.id, scopes: chosen(form) } }),
    // The refused form of a new follower is shown without its values.
    { again: (visit, { complaint }) => followersPage(visit, { complaint }) },
  ),
  removeFollower: pages.act('remove')(
    'Removes all scopes of a follower',
    ({ call, params }) => call(removeRelation, { body: { follower_id: params.id } }),
    { next: `${address}?done=deleted` },
  ),
};

/** The scopes whose checkboxes are checked. */
function chosen(sent: Record<string, unknown>): string[] {
  const list = scopes.filter((scope) => sent[`scope_${scope}`] === 'true');
  return list.length > 0 ? list : [''];
}

async function followersPage(visit: Visit, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const followers = await visit.call(listFollowers);
  const cards = followers.map((follower) => {
    const content = html`${scopeBoxes(texts, follower.scopes, String(follower.id))} ${submit(t('common.save'))}`;
    return html`<section class="card stack">
      <div class="row spread">
        <h2>${follower.full_name || follower.email} ${badge(texts, follower.active ? 'active' : 'inactive')}</h2>
        ${confirmButton(visit, { action: `${address}/${follower.id}/remove`, label: t('console.followers.remove'), question: t('console.followers.removeQuestion') })}
      </div>
      <p class="quiet">${follower.email}</p>
      ${form(visit, { action: `${address}/${follower.id}`, content })}
    </section>`;
  });
  const known = (name: string) => ({ ...filled(values, complaint)(name), isRequired: true });
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
  return showSettings(visit, { tab: 'followers', done }, whole, refusedIf(complaint));
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
