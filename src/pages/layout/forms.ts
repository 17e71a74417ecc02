import { html, Html, type Written } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { type Complaint } from './explain';
import { type Texts } from './texts';

/** Forms that say what is wrong where it is wrong, to the eye and to a screen reader. */

export interface FormOptions {
  /** Where it is sent. */
  action: string;
  /** The id of the element that the answer takes the place of; without it the whole page is loaded. */
  target?: string;
  content: Written;
  /** For more than one form of a page, and for tests. */
  name?: string;
  className?: string;
}

/** A form that works without a script, too. The page's token goes with it. */
export function form(visit: Visit, { action, target, content, name, className = 'stack' }: FormOptions): Html {
  const swap = target === undefined ? '' : html`hx-post="${action}" hx-target="#${target}" hx-swap="outerHTML"`;
  return html`<form
    method="post"
    action="${action}"
    class="${className}"
    ${name === undefined ? '' : html`name="${name}"`}
    ${swap}
    novalidate
  >
    <input type="hidden" name="_token" value="${visit.pageToken}" />
    ${content}
  </form>`;
}

export interface FieldOptions {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'tel' | 'number' | 'date' | 'datetime-local' | 'search' | 'url' | 'color';
  value?: string | number | undefined;
  /** What is wrong, all fields of the form; the one's own is shown. */
  complaint?: Complaint | undefined;
  hint?: Written;
  isRequired?: boolean;
  /** What the browser may fill in: `email`, `new-password`, `cc-number`. */
  autocomplete?: string;
  inputmode?: 'numeric' | 'decimal' | 'email';
  placeholder?: string;
  maxlength?: number;
  /** Attributes besides: `min`, `step`, `dir`. */
  more?: Record<string, string>;
  /** The names of a service's fields whose complaints belong here too. */
  alsoNamed?: readonly string[];
}

/** A labelled input with its hint and its complaint. */
export function field(texts: Texts, options: FieldOptions): Html {
  const { name, label, type = 'text', value, isRequired = false } = options;
  const input = html`<input
    id="${idOf(name)}"
    name="${name}"
    type="${type}"
    ${asAttribute('value', value)}
    ${commonAttributes(options)}
  />`;
  return labelled(texts, { name, label, isRequired }, input, options);
}

export interface SelectOptions extends Omit<FieldOptions, 'type'> {
  /** Value to text; a leading empty value asks for a choice. */
  choices: readonly (readonly [value: string, text: string])[];
}

export function select(texts: Texts, options: SelectOptions): Html {
  const { name, label, value, choices, isRequired = false } = options;
  const list = choices.map(
    ([choice, text]) =>
      html`<option value="${choice}" ${String(value ?? '') === choice ? 'selected' : ''}>${text}</option>`,
  );
  const input = html`<select id="${idOf(name)}" name="${name}" ${commonAttributes(options)}>
    ${list}
  </select>`;
  return labelled(texts, { name, label, isRequired }, input, options);
}

export function textarea(texts: Texts, options: Omit<FieldOptions, 'type'>): Html {
  const { name, label, value = '', isRequired = false } = options;
  const input = html`<textarea id="${idOf(name)}" name="${name}" ${commonAttributes(options)}>${value}</textarea>`;
  return labelled(texts, { name, label, isRequired }, input, options);
}

/** Sends `true` when it is checked, and nothing otherwise. */
export function checkbox(
  options: Omit<FieldOptions, 'type' | 'value'> & { isChecked?: boolean; value?: string },
): Html {
  const { name, label, isChecked = false, value = 'true' } = options;
  return html`<div class="field">
    <div class="check">
      <input
        type="checkbox"
        id="${idOf(name)}"
        name="${name}"
        value="${value}"
        ${isChecked ? 'checked' : ''}
        ${commonAttributes(options)}
      />
      <label for="${idOf(name)}">${label}</label>
    </div>
    ${below(options)}
  </div>`;
}

export interface RadioOptions extends Omit<FieldOptions, 'type'> {
  choices: readonly { value: string; content: Written }[];
}

/** Large choices, one of which is taken. */
export function radios(options: RadioOptions): Html {
  const { name, label, value, choices } = options;
  const list = choices.map(
    (choice, index) =>
      html`<label class="choice" for="${idOf(name)}-${index}">
        <input
          type="radio"
          id="${idOf(name)}-${index}"
          name="${name}"
          value="${choice.value}"
          ${String(value ?? '') === choice.value ? 'checked' : ''}
          ${described(options)}
        />
        ${choice.content}
      </label>`,
  );
  return html`<fieldset class="field">
    <legend>${label}</legend>
    ${list} ${below(options)}
  </fieldset>`;
}

/** The form's main button, and others beside it. */
export function submit(text: Written, { isFull = false, name, value, kind = 'main' }: SubmitOptions = {}): Html {
  const named = name === undefined ? '' : html`name="${name}" value="${value ?? ''}"`;
  return html`<button type="submit" class="${kind}${isFull ? ' full' : ''}" ${named}>${text}</button>`;
}

interface SubmitOptions {
  isFull?: boolean;
  name?: string;
  value?: string;
  kind?: 'main' | 'danger' | 'slim' | 'plain' | 'other';
}

/** A button behind a question: nothing is lost by one click. */
export function asking(
  visit: Visit,
  { label, question, isDangerous = true, isOpen = false, fields, ...sent }: Question,
): Html {
  const content = html`<p>${question}</p>
    ${fields} ${submit(label, { kind: isDangerous ? 'danger' : 'main' })}`;
  return html`<details class="asking" ${isOpen && 'open'}>
    <summary class="button slim">${label}</summary>
    <div class="card">${form(visit, { ...sent, content })}</div>
  </details>`;
}

interface Question extends Pick<FormOptions, 'action' | 'target' | 'name'> {
  label: string;
  question: string;
  isDangerous?: boolean;
  /** A field of it was wrong. */
  isOpen?: boolean;
  fields?: Written;
}

/**
 * What is wrong with a form, first thing in it: read out when it appears, with a link to each field. `named`: the fields
 * that the form has, best with their labels; what else is wrong is said here.
 */
export function complaints({ t }: Texts, complaint: Complaint | undefined, named: Named): Html {
  if (!complaint) return html``;
  const labels = new Map(Array.isArray(named) ? named.map((name: string) => [name, '']) : Object.entries(named));
  const fields = Object.entries(complaint.fields);
  const shown = fields.filter(([name]) => labels.has(name));
  const others = fields.filter(([name]) => !labels.has(name)).map(([, text]) => html`<p>${text}</p>`);
  const links = shown.map(([name, text]) => {
    const label = labels.get(name) ?? '';
    return html`<li><a href="#${idOf(name)}">${label === '' ? text : `${label}: ${text}`}</a></li>`;
  });
  const opening =
    shown.length > 0 ? t('errors.inForm', { count: shown.length }) : others.length > 0 ? '' : complaint.message;
  return html`<div class="alert bad" role="alert" tabindex="-1" data-focus>
    ${opening === '' ? '' : html`<p>${opening}</p>`} ${others}
    ${
      links.length > 0
        ? html`<ul>
            ${links}
          </ul>`
        : ''
    }
  </div>`;
}

/** Field names, or names with labels. */
export type Named = readonly string[] | Readonly<Record<string, string>>;

export const idOf = (name: string) => `field-${name.replaceAll(/[^\w-]/g, '-')}`;

function labelled(
  { t }: Texts,
  { name, label, isRequired }: { name: string; label: string; isRequired: boolean },
  input: Html,
  options: FieldOptions,
): Html {
  const optional = isRequired ? '' : html` <span class="quiet small">(${t('common.optional')})</span>`;
  return html`<div class="field">
    <label for="${idOf(name)}">${label}${optional}</label>${input} ${below(options)}
  </div>`;
}

function below(options: Pick<FieldOptions, 'name' | 'hint' | 'complaint' | 'alsoNamed'>): Html {
  const { name, hint } = options;
  const text = complaintOf(options);
  return html`${hint === undefined ? '' : html`<p class="hint" id="${idOf(name)}-hint">${hint}</p>`}
  ${text === undefined ? '' : html`<p class="complaint" id="${idOf(name)}-error">${text}</p>`}`;
}

function complaintOf({ name, complaint, alsoNamed = [] }: Pick<FieldOptions, 'name' | 'complaint' | 'alsoNamed'>) {
  return [name, ...alsoNamed].map((known) => complaint?.fields[known]).find((text) => text !== undefined);
}

function commonAttributes(options: Omit<FieldOptions, 'type' | 'value'>): Html {
  const { isRequired, autocomplete, inputmode, placeholder, maxlength, more = {} } = options;
  const attributes = { autocomplete, inputmode, placeholder, maxlength, ...more };
  const written = Object.entries(attributes).map(([name, value]) => html`${asAttribute(name, value)} `);
  return html`${written} ${isRequired ? 'required' : ''} ${described(options)}`;
}

function described(options: Pick<FieldOptions, 'name' | 'hint' | 'complaint' | 'alsoNamed'>): Html {
  const { name, hint } = options;
  const isWrong = complaintOf(options) !== undefined;
  const by = [...(hint === undefined ? [] : [`${idOf(name)}-hint`]), ...(isWrong ? [`${idOf(name)}-error`] : [])];
  return html`${by.length > 0 ? html`aria-describedby="${by.join(' ')}"` : ''}
  ${isWrong ? html`aria-invalid="true"` : ''}`;
}

/** Nothing for a value that is not there. The name is ours, never a visitor's. */
function asAttribute(name: string, value: string | number | undefined): Html {
  return value === undefined ? html`` : html`${new Html(name)}="${value}"`;
}
