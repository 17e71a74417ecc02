import { type Scope, scopes } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { named, type Texts } from '../layout/texts';

/** Checkboxes for scopes. */

interface Boxes {
  held: readonly string[];
  /** The part of the ids that differs between the forms of a page. */
  of: string;
  offered?: readonly Scope[];
}

export function scopeBoxes(texts: Texts, { held, of, offered = scopes }: Boxes): Html {
  const boxes = offered.map((scope) => {
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

/** The scopes whose checkboxes are checked. */
export function chosen(sent: Record<string, unknown>): string[] {
  const list = scopes.filter((scope) => sent[`scope_${scope}`] === 'true');
  return list.length > 0 ? list : [''];
}
