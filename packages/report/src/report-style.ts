/**
 * Style sheet of a report: the page's colours and type in one readable column, light or dark as the reader
 * has it, black on white in print.
 */
export const reportStyle = `:root{color-scheme:light dark;--text:#17181c;--quiet:#4c4d55;--ground:#f6f5f1;--surface:#fff;--line:#e3e0d7;--link:#3f37c9;--soft:#efede6}
@media (prefers-color-scheme:dark){:root{--text:#eeeef3;--quiet:#b6b8c5;--ground:#0f1015;--surface:#181a21;--line:#2a2d38;--link:#aaa5ff;--soft:#121319}}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 Inter,system-ui,sans-serif}
main{max-width:56rem;margin:0 auto;padding:2rem 1.25rem 4rem}
section{background:var(--surface);border-radius:16px;padding:.25rem 1.5rem 1.25rem;margin:1.25rem 0}
h1{font:500 2.125rem/1.2 Newsreader,Georgia,serif;margin:.2em 0 .5em}h1+p{font-size:1.125rem}h2{font-size:1.125rem;line-height:1.4;margin:1.1em 0 .5em}
a{color:var(--link)}nav ol{columns:2 16rem;padding-left:1.4rem}
figure{margin:1rem 0}figure .chart{width:100%}.narrow{display:none;max-width:30rem}figcaption,.downloads,footer{color:var(--quiet);font-size:.875rem}
.downloads a{margin-right:.75rem}p.downloads{margin:.4rem 0 0}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem;width:100%}
caption{text-align:left;color:var(--quiet);padding:.3rem 0}
th,td{text-align:left;padding:.38rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}
th{background:var(--soft);font-weight:600}.number{text-align:right;font-variant-numeric:tabular-nums}
footer{margin-top:3rem;border-top:1px solid var(--line)}
@media screen and (max-width:46rem){.wide{display:none}.narrow{display:block}section{padding-inline:1rem}}
@media print{:root{--text:#000;--quiet:#333;--ground:#fff;--surface:#fff;--line:#bbb;--link:#000;--soft:#f2f2f2}
main{max-width:none;padding:0}section{padding:0}.downloads,nav{display:none}section{break-inside:avoid-page}figure,table,tr{break-inside:avoid}h2{break-after:avoid}}
`;
