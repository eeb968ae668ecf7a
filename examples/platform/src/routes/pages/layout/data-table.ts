import { html, type Markup } from "./markup.ts";

export interface Column<Row> {
  heading: string;
  cell(row: Row): Markup | string | number;
  /**
   * Where a compact table shows the column on a phone: below the name, on a separate line, with other columns on the last line, or nowhere.
   *
   * @default "beside"
   */
  phone?: "below" | "line" | "beside" | "none";
}

export interface DataTable<Row> {
  /** The table's title for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Whether a row has only about three lines on a phone. @default false: one line per column */
  isCompact?: boolean;
  /** Returns the element id of a row, for live updates. */
  rowId?(row: Row): string;
}

/** Renders a table that turns into cards on a phone. The explicit roles preserve the table semantics. The first column is the row header. */
export function dataTable<Row>({ caption, columns, rows, rowId, isCompact = false }: DataTable<Row>): Markup {
  const [first, ...others] = columns;
  return html`
    <table role="table" class="cards${isCompact && " compact"}">
      <caption class="unseen">${caption}</caption>
      <thead role="rowgroup">
        <tr role="row">${columns.map(({ heading }) => html`<th scope="col" role="columnheader">${heading}</th>`)}</tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) => html`
        <tr role="row"${rowId && html` id="${rowId(row)}"`}>
          <th scope="row" role="rowheader">${first?.cell(row)}</th>
          ${others.map(({ heading, cell, phone = "beside" }) => html`<td role="cell" data-heading="${heading}"${isCompact && html` class="${phone}"`}>${cell(row)}</td>`)}
        </tr>`,
        )}
      </tbody>
    </table>`;
}
