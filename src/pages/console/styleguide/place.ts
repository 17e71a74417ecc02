/** The address of the first page. The forms and links lead back to it. */
export const place = '/console/styleguide';

/** The address of the page with lists and figures. */
export const dataPlace = '/console/styleguide/data';
