import { type namesOf } from '../../../accounts/registeredUsers';
import { html, type Html } from '../../../kit/html';
import { breakable } from '../../layout/lists';

export type Names = Awaited<ReturnType<typeof namesOf>>;

/** The address of a customer, with the link to the customer's page and the name. An id without an account stays an id. */
export function customerLink(names: Names | undefined, id: number): Html {
  const { name: email, fullName } = names?.get(id) ?? { name: String(id), fullName: '' };
  const name = fullName === '' ? '' : html`<bdi class="quiet small">${fullName}</bdi>`;
  return html`<a href="/console/customers/${id}">${breakable(email)}</a> ${name}`;
}
