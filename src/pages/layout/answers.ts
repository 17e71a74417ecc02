import { type Answering, type Endpoint } from '../../kit/endpoint';

/** The body of an endpoint's answer, from its declaration. */
export type AnswerOf<E> = E extends Answering<infer Body> & Endpoint ? Body : never;

/** One row of an endpoint's list, from its declaration. */
export type RowOf<E> = RowIn<AnswerOf<E>>;

type RowIn<Body> = Body extends { collection: (infer Row)[] } | (infer Row)[] ? Row : never;
