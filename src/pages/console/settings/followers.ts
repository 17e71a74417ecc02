import { followerEndpoints } from '../../../accounts/merchants/followers.endpoints';
import { master, scopes } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { complaints, field, form, submit } from '../../layout/forms';
import { textsFor } from '../../layout/texts';
import { crudPages, type PageState } from '../crudPages';
import { filled } from '../fields';
import { confirmButton, refusedIf } from '../frame';
import { badge, fileOf } from '../lists';
import { chosen, scopeBoxes } from '../scopeBoxes';
import { emptyCard } from '../../layout/lists';
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

async function followersPage(visit: Visit, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const followers = await visit.call(listFollowers);
  const cards = followers.map((follower) => {
    const content = html`${scopeBoxes(texts, { held: follower.scopes, of: String(follower.id) })}
    ${submit(t('common.save'))}`;
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
    ${scopeBoxes(texts, { held: scopes.filter((scope) => values[`scope_${scope}`] === 'true'), of: 'new' })}
    ${submit(t('console.followers.create'))}`;
  const list = followers.length === 0 ? emptyCard(t('console.followers.none'), 'customers') : cards;
  const whole = html`<p class="quiet">${t('console.followers.explain')}</p>
    ${list} ${fileOf(visit, texts, followers, { list: 'followers', query: {} })}
    <section class="card stack">
      <h2>${t('console.followers.create')}</h2>
      ${form(visit, { action: address, content })}
    </section>`;
  return showSettings(visit, { tab: 'followers', done }, whole, refusedIf(complaint));
}
