/**
 * What was typed is shown again after a change of the language, and after the sign-in if the session had ended when the
 * form was sent. It is shown to the same person only. Secrets are not kept.
 */
{
  interface KeptForm {
    action: string | null;
    /** The `data-person` of the form. Undefined for a visitor without a session. */
    person?: string | undefined;
    fields: [id: string, value: string | boolean][];
  }
  interface Kept {
    untilMs: number;
    /** When the forms are filled again: on the next page, or as soon as they appear. Undefined: not at all. */
    fillsAgain?: 'next' | 'later';
    forms: KeptForm[];
  }
  const keptFor = 30 * 60_000;
  const typed = `:is(input, textarea, select):not([type=hidden], [type=password], [type=file], [type=search], [data-secret],
    [name=iban], [autocomplete^="cc-"], [autocomplete=one-time-code])`;
  type Typed = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  const isBox = (field: Typed): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio';
  /** The name on a card and its expiry, which a refused form shows again. */
  const besideNumber = 'input:is([autocomplete=cc-name], [autocomplete^="cc-exp"])';

  function readKept(): Kept | undefined {
    try {
      const kept = JSON.parse(sessionStorage.getItem('typed') ?? 'null') as Kept | null;
      return kept && kept.untilMs > Date.now() ? kept : undefined;
    } catch {
      return undefined;
    }
  }

  function writeKept(kept?: Pick<Kept, 'forms' | 'fillsAgain'>): void {
    try {
      if (!kept) return sessionStorage.removeItem('typed');
      sessionStorage.setItem('typed', JSON.stringify({ untilMs: Date.now() + keptFor, ...kept }));
    } catch {
      // A frame without an origin has no storage. What was typed is then lost.
    }
  }

  const keptOf = (form: HTMLFormElement): KeptForm => ({
    action: form.getAttribute('action'),
    person: form.dataset['person'],
    fields: [...form.querySelectorAll<Typed>(`${typed}, ${besideNumber}`)].map((field) => [
      field.id,
      isBox(field) ? field.checked : field.value,
    ]),
  });

  document.addEventListener('submit', ({ target }) => {
    waiting = [];
    // The sign-in itself is also a form.
    if (target instanceof HTMLFormElement && target.method === 'post' && !readKept()?.fillsAgain)
      writeKept({ forms: [keptOf(target)] });
  });

  /** A step changes the address of the page, and the links to the other languages lead to the step that is shown. */
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element && target.closest('a[hreflang]');
    if (!(link instanceof HTMLAnchorElement)) return;
    const here = new URL(location.href);
    here.searchParams.set('lang', link.hreflang);
    link.href = here.href;
    // At the sign-in of an ended session, the form that was sent before is kept.
    if (readKept()?.fillsAgain === 'later') return;
    const forms = document.querySelectorAll<HTMLFormElement>('main form[method=post]');
    writeKept({ forms: [...forms].map(keptOf), fillsAgain: 'next' });
  });

  /** The sign-in of an ended session has `data-keep`. On any other page, a form that was just sent has had its effect. */
  function start(): void {
    const kept = readKept();
    if (kept && document.querySelector('[data-keep]')) return writeKept({ ...kept, fillsAgain: 'later' });
    if (kept?.fillsAgain !== 'later') writeKept();
    showKept(kept);
  }

  const isShown = ({ action, person }: KeptForm) =>
    [...document.forms].some((form) => form.getAttribute('action') === action && form.dataset['person'] === person);

  /** Whether the page is a page of another person. */
  const isOfAnother = (kept: KeptForm) =>
    [...document.forms].some(({ dataset: { person } }) => person !== undefined && person !== kept.person);

  function showKept(kept: Kept | undefined): void {
    if (!kept?.fillsAgain) return;
    if (kept.forms.some(isOfAnother)) return writeKept();
    const shown = kept.forms.filter(isShown);
    if (shown.length === 0) return;
    writeKept();
    waiting = shown;
    fillWaiting();
  }

  /**
   * The shown forms, with the fields that are not filled yet. A field may appear with a choice, like the region of a
   * country.
   */
  let waiting: KeptForm[] = [];

  function fillWaiting(): void {
    const ready = waiting.filter(isShown).flatMap(({ fields }) => fields.filter(isReady));
    waiting = waiting.map((form) => ({ ...form, fields: form.fields.filter((field) => !ready.includes(field)) }));
    const chosen = ready.filter(([id, value]) => fillAgain(id, value));
    // Other parts of the page follow a choice. They read the other fields, which are filled now.
    for (const [id] of chosen) document.getElementById(id)?.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /** Whether the field exists. A list must also offer the value. */
  function isReady([id, value]: KeptForm['fields'][number]): boolean {
    const field = document.getElementById(id);
    if (field instanceof HTMLSelectElement) return [...field.options].some((option) => option.value === value);
    return field !== null;
  }

  /** A declined card comes back without its name and expiry, because the service does not keep them. */
  function showRefused(kept: Kept | undefined): void {
    if (!kept || kept.fillsAgain || !document.querySelector('main [role=alert]')) return;
    for (const [id, value] of kept.forms.filter(isShown).flatMap(({ fields }) => fields)) {
      const field = document.getElementById(id);
      if (field instanceof HTMLInputElement && field.matches(besideNumber) && field.value === '')
        field.value = String(value);
    }
  }

  /** Whether the field is a choice that has changed. */
  function fillAgain(id: string, value: string | boolean): boolean {
    const field = document.getElementById(id);
    if (!field?.matches(typed)) return false;
    const input = field as Typed;
    const before = isBox(input) ? input.checked : input.value;
    if (isBox(input)) input.checked = value === true;
    else input.value = String(value);
    return before !== value && (isBox(input) ? input.checked : input.type === 'select-one');
  }

  document.addEventListener('htmx:afterSettle', () => {
    showKept(readKept());
    fillWaiting();
    showRefused(readKept());
  });
  // After htmx has read the page, which then follows a choice.
  document.addEventListener('DOMContentLoaded', start);
}
