import { type Answering, type Endpoint } from '../../kit/endpoint';

/** The answer of an endpoint, by its declaration. */
export type AnswerOf<E> = E extends Answering<infer Body> & Endpoint ? Body : never;

/** One row of the list that an endpoint answers, by its declaration. */
export type RowOf<E> = RowIn<AnswerOf<E>>;

type RowIn<Body> = Body extends { collection: (infer Row)[] } | (infer Row)[] ? Row : never;
