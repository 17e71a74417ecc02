/** The address of the page. Its forms and links lead back to it. */
export const place = '/console/styleguide';
