/** A request that the simulator answers with an error. Nothing was done. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A field that the provider does not accept. */
export class InvalidField extends Refusal {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(422, 'invalid_field', message);
  }
}

/** The request was carried out, or was lost before that, and the caller never gets an answer. */
export class NoAnswer extends Error {}
