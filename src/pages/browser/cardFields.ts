/**
 * Checks the typed fields of a card when a person leaves them, and again at each key until they are right. The server checks
 * them again: this only tells an error early. `newCardFields` of src/pages/customer/cards.ts writes the fields and the texts.
 */
{
  const schemes: readonly (readonly [RegExp, string])[] = [
    [/^4/, 'Visa'],
    [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 'Mastercard'],
    [/^3[47]/, 'American Express'],
    [/^3(?:0[0-5]|095|[689])/, 'Diners Club'],
    [/^35(?:2[89]|[3-8])/, 'JCB'],
    [/^6(?:011|4[4-9]|5)/, 'Discover'],
    [/^62/, 'UnionPay'],
  ];
  const digitsOf = (text: string) => text.replaceAll(/\s/g, '');
  const schemeOf = (number: string) => schemes.find(([range]) => range.test(number))?.[1] ?? '';

  /** The check digit of Luhn: every second digit from the right counts twice. */
  function passesLuhn(number: string): boolean {
    const sum = [...number].reverse().reduce((total, digit, place) => {
      const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return sum % 10 === 0;
  }

  type Values = Readonly<Record<string, string>>;

  /** Whether the last month of the card is over. A year of two digits is in this century. */
  function isOver({ exp_month: month = '', exp_year: year = '' }: Values): boolean {
    const now = new Date();
    const fullYear = Number(year) + (year.length === 2 ? 2_000 : 0);
    return fullYear * 12 + Number(month) < now.getFullYear() * 12 + now.getMonth() + 1;
  }

  const isRight: Readonly<Record<string, (values: Values) => boolean>> = {
    number: ({ number = '' }) => /^\d{12,19}$/.test(number) && passesLuhn(number),
    exp_month: ({ exp_month = '' }) => /^\d{1,2}$/.test(exp_month) && Number(exp_month) >= 1 && Number(exp_month) <= 12,
    exp_year: (values) =>
      /^(?:\d{2}|\d{4})$/.test(values['exp_year'] ?? '') && !(values['exp_month'] && isOver(values)),
    cvv: ({ cvv = '', number = '' }) =>
      schemeOf(number) === 'American Express' ? /^\d{4}$/.test(cvv) : /^\d{3,4}$/.test(cvv),
  };

  const inputsIn = (place: Element) => place.querySelectorAll<HTMLInputElement>('[data-wrong]');

  function valuesIn(place: Element): Values {
    return Object.fromEntries([...inputsIn(place)].map(({ name, value }) => [name, digitsOf(value)]));
  }

  /** Shows or removes the error of a field. An empty field is not wrong before the form is sent. */
  function check(place: Element, input: HTMLInputElement): void {
    const values = valuesIn(place);
    const isFine = values[input.name] === '' || (isRight[input.name]?.(values) ?? true);
    const known = place.querySelector(`#${input.id}-error`);
    if (isFine) {
      known?.remove();
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    } else if (!known) {
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', `${input.id}-error`);
      input.parentElement?.append(newError(`${input.id}-error`, input.dataset['wrong'] ?? ''));
    }
  }

  function newError(id: string, text: string): HTMLElement {
    const error = Object.assign(document.createElement('p'), { id, className: 'complaint', textContent: text });
    error.setAttribute('role', 'alert');
    return error;
  }

  function showScheme(place: Element): void {
    const shown = place.querySelector('[data-scheme]');
    const scheme = schemeOf(valuesIn(place)['number'] ?? '');
    if (shown && shown.textContent !== scheme) shown.textContent = scheme;
  }

  type Listener = (place: Element, input: HTMLInputElement) => void;

  const onField = (event: string, listener: Listener) =>
    document.addEventListener(event, ({ target }) => {
      const place = target instanceof HTMLInputElement && target.closest('[data-card-fields]');
      if (place && target.dataset['wrong'] !== undefined) listener(place, target);
    });

  onField('focusout', (place, input) => {
    check(place, input);
    // A month can make the year wrong, and the scheme decides about the code.
    for (const other of inputsIn(place)) if (other.getAttribute('aria-invalid') === 'true') check(place, other);
  });
  onField('input', (place, input) => {
    showScheme(place);
    if (input.getAttribute('aria-invalid') === 'true') check(place, input);
  });
}
