"""What does not go together is refused, in one line and before anything is read."""

import re
import shlex

import pytest

from cli_calls import refused

# A command, and all that is said. None of the files is there.
REFUSALS = r"""
$ nothing
    No such command 'nothing'.
$ summary
    Missing argument 'FILE...'.
$ summary --nope
    No such option '--nope'. (Did you mean one of: '--na', '--pd', '--score'?)
$ summary rows.csv --gini 3
    No such option '--gini'. The accuracy ratio (Gini) needs no option: capcurve summary and report
    show it.
$ compare rows.csv -t y -s s
    compare needs at least two scores; name each with --score
$ compare rows.csv -t y -s s -s r --by-period month
    --by-period goes with --by; name the column of the dates
$ calibration rows.csv -t y -s s --by-period month
    calibration uses all rows together; leave out --by-period
$ change rows.csv -t y -s s
    change compares two files, BEFORE and AFTER, and got 1; for two periods of one data set add
    --period
$ stability rows.csv -t y -s s
    stability compares two files, BEFORE and AFTER, and got 1; for the periods of one file name
    their column with --by
$ check rows.csv -t y -s s
    no rule was given; name one, such as --min-ar 0.4 (--help lists them)
$ audit
    Missing argument 'FILE'.
$ plot rows.csv -t y -s s
    Missing option '--output' / '-o'.
$ sql
    Missing option '--dialect'.
$ counts rows.csv -t y -s s -s r -o x.csv
    a table of counts contains one score; pass one --score
$ counts rows.csv -t y -s s --all-segments -o x.csv
    counts saves all segments; leave out --all-segments
$ counts rows.csv -t y -s s -o x.txt
    --output x.txt must end in .csv, .parquet, .json
$ report rows.csv -t y -s s -o out.txt
    --output out.txt must end in .html, .json, .xlsx, .png, .svg, .pdf
$ plot rows.csv -t y -s s -o out.txt
    --output out.txt must end in .png, .svg, .pdf
$ check rows.csv -t y -s s --min-ar 0.2 -o out.csv
    --output out.csv must end in .txt, .json, .xml, .md, .tex, .html, .png, .svg, .pdf
$ summary rows.csv --amount m -s s -o x.xlsx
    a workbook is for positives and negatives, not for --amount; write .json, .csv or .md
$ report rows.csv --amount m -s s -o x.xlsx
    a workbook is for positives and negatives, not for --amount; write .html, .json or a picture
$ validate rows.csv -t y -s s -o out.png
    --output out.png must end in .txt, .json, .csv, .md, .tex, .html, .xlsx
$ report rows.csv -t y -s s --value 3 -o r.json
    --value and --cost go together: the profit needs both
$ report rows.csv -t y -s s --value 3 --cost 1 -o r.xlsx
    --output r.xlsx is a workbook, which shows no profit; leave out --value and --cost
$ report rows.csv -t y -s s --value 3 --cost 1 -o r.png
    --output r.png is a picture, which shows no value; leave out --value
$ report rows.csv -t y -s s --title T -o r.png
    --output r.png is a picture, which shows no title; leave out --title
$ report rows.csv -t y -s s --pd s -o r.png
    --output r.png is a picture, which shows no pd; leave out --pd
$ report rows.csv -t y -s s --selective -o r.png
    --output r.png is a picture, which shows no selective; leave out --selective
$ summary rows.csv --time d -s s --horizon 3
    --time needs --event, the column of how that ended
$ summary rows.csv --time d --event e -s s
    --time needs --horizon, such as --horizon 365
$ summary rows.csv --event e -s s --horizon 3
    --event goes with --time; name the column of the times
$ summary rows.csv -t y -s s --horizon 3
    --target does not go with --horizon: the outcome is --event; leave it out
$ summary rows.csv -t y --time d --event e -s s --horizon 3
    --target does not go with --time: the outcome is --event; leave it out
$ summary rows.csv -t y -s s --competing excluded
    --competing goes with --horizon; name a time
$ gains rows.csv --time d --event e -s s --horizon 3 --by seg
    --by does not go with --time; leave it out
$ curve rows.csv --time d --event e -s s --horizon 3 --amount m
    --amount does not go with --time; leave it out
$ report rows.csv --time d --event e -s s --horizon 3 --weight w
    --weight does not go with --time; leave it out
$ compare rows.csv --time d --event e -s s -s r --horizon 3 --memory-limit 1GB
    --memory-limit does not go with --time; leave it out
$ summary rows.csv --time d --event e -s s --horizon 3 --id id
    --id does not go with --time; leave it out
$ summary rows.csv --time d --event e -s s --horizon 3 --horizon 5 --pd s
    --pd is for one horizon; pass one --horizon
$ validate rows.csv --time d --event e -s s --horizon 3 --pd s
    --pd adds tests of PDs, which do not allow for censored rows; capcurve calibration has observed
    to expected by --horizon
$ change a.csv b.csv --time d --event e -s s --horizon 3 --pd s
    --pd has no test at a horizon yet; leave it out
$ summary rows.csv --time d --event e -s s --horizon 3 --event-label bad
    --event-label needs --censored-label; name both
$ bounds rows.csv --time d --event e -s s --horizon 3 --stratum v
    --stratum is for weights, which bounds do without; leave it out
$ bounds rows.csv --time d --event e -s s -s r --horizon 3
    bounds at a horizon are for one score; pass one --score
$ bounds rows.csv --time d --event e -s s --horizon 3 --unknown-label 9
    --unknown-label does not go with --time; leave it out
$ check rows.csv --time d --event e -s s --min-ar 0.2
    --time needs --horizon, such as --horizon 365
$ check rows.csv --time d --event e -s s --horizon 3 --baseline b.csv --max-psi 0.1
    --max-psi compares all rows, whatever became of them; leave it out, or use capcurve stability
$ check rows.csv --time d --event e -s s --horizon 3 --horizon 5 --max-oe 1.2
    --max-oe is for one horizon; pass one --horizon
$ check rows.csv --time d --event e -s s --horizon 3 --baseline b.csv --periods month
    --periods simulates rows with known outcomes, and --horizon has others; leave it
    out
$ check rows.csv -t y -s s --baseline b.csv --max-drop 0 --planned-periods 24
    --planned-periods goes with --periods; name the column of the periods
$ validate rows.csv --time d --event e -s s --horizon 3 --period month
    --period has no tests at a horizon yet; leave it out
$ validate rows.csv --time d --event e -s s --horizon 3 --start-grade g
    --start-grade has no tests at a horizon yet; leave it out
$ validate rows.csv --time d --event e -s s --horizon 3 --before a.csv
    --before compares all rows, whatever became of them; leave it out, or use capcurve stability
$ validate rows.csv --time d --event e -s s --horizon 3 --horizon 5
    this command is for one horizon; pass one --horizon
$ grades rows.csv --time d --event e -s s --horizon 3 --horizon 5
    this command is for one horizon; pass one --horizon
$ plot rows.csv --time d --event e -s s --horizon 3 --kind calibration -o x.png
    --kind calibration is for PDs, which are not tested at a horizon yet; draw cap
$ change a.csv b.csv --time d --event e -s s --horizon 3 --by seg
    --by does not go with --time; leave it out
$ change before.csv after.csv -t y -s s --least 4
    --least is for segments; name their column with --by
$ thresholds rows.csv --time d --event e -s s --horizon 3 --by seg
    --by does not go with --time; leave it out
$ calibration rows.csv --time d --event e -s s --horizon 3 --at 0.1
    --at does not allow for censored rows; leave it out
$ implied rows.csv --time d --event e -s s --horizon 3
    PDs are not tested at a horizon yet; leave out --time and --horizon
$ stability a.csv b.csv -s s --horizon 3
    shares of all rows need no outcomes; leave out --time and --horizon
$ uplift rows.csv --time d --event e -s s --treatment t
    uplift is not computed at a horizon yet; leave out --time and --horizon
$ generalised-auc rows.csv -r r -e e --time d
    realised values are numbers, which are never censored; leave out --time and --horizon
$ audit table.csv --horizon 3
    a published table has no times; leave out --time and --horizon
$ counts rows.csv --time d --event e -s s --horizon 3 -o x.csv
    the counts contain every horizon; name one when you read them, and leave out --horizon and
    --competing
$ sql --dialect sqlite --table t --time d --event e -s s --horizon 3
    the counts contain every horizon; name one when you read them, and leave out --horizon and
    --competing
$ validate rows.csv -t y -s s --asset-correlation 0.1
    --asset-correlation is for PDs; add --pd or --grade-pd
$ report rows.csv -t y -s s --by seg -o r.png
    --output r.png is a picture of all rows and shows no segments; leave out --by, or draw them
    with capcurve plot --by
$ report rows.csv -t y -s s --initial 0.5 -o r.json
    --initial goes with --by; name the column of the periods
$ report rows.csv -t y -s s --by month --initial 0.5 -o r.xlsx
    --output r.xlsx shows no control chart; write .html or .json
$ report rows.csv -t y -s s -s r --by month --initial 0.5 -o r.json
    --initial is for one score; pass one --score
$ report rows.csv --amount m -s s --initial 0.5 -o r.json
    --initial is for positives and negatives, not for --amount; leave it out
$ summary rows.csv --amount m -s s --prevalence 0.1
    amounts have no prevalence; leave out --prevalence
$ summary cells.csv --counts --id id
    --id is for rows, and --counts reads counts; leave one out
$ summary rows.csv -t y -s s --cluster id --id id
    --id only looks for repeated ids, and --cluster already uses them; leave out --id
$ summary rows.csv -t y -s s --pd s --grade-pd A=0.1
    --grade-pd has the PDs, and --pd names a column of them; leave one out
$ validate rows.csv -t y -s s --challenger r --pd r
    r is named twice as a score, grade or challenger
$ check rows.csv -t y -s s --min-ar 0.1 --pd s
    --pd goes with --max-oe; name the maximum
$ check rows.csv -t y -s s --max-aurc 2
    --max-aurc must be between 0 and 1, got 2
$ check rows.csv -t y -s s --max-selective-risk 2=.1
    --max-selective-risk must be SHARE=MAXIMUM, such as 0.8=0.05, both shares; got '2=.1'
$ check rows.csv -t y -s s --min-ar .2 --errors negatives
    --errors goes with --max-aurc and --max-selective-risk
$ check rows.csv --amount m -s s --max-oe 1.2
    --max-oe is for positives and negatives, not for --amount; leave it out
$ check rows.csv -t y -s s --min-ar .2 --inconclusive fail
    --inconclusive goes with --max-drop, --max-psi, --max-oe and --limits; name one
$ check rows.csv -t y -s s --max-oe -1
    --max-oe must be a number of at least 0, got -1
$ summary rows.csv --amount m -s s --pd s
    --pd is for positives and negatives, not for --amount; leave it out
$ summary rows.csv -t y -s s --format xlsx
    --format xlsx is a file; name one with --output
$ summary rows.csv -t y -s s --csv-decimal ,
    --csv-decimal is for csv; add --format csv
$ summary rows.csv -t y -s s --level 2
    Invalid value for '--level': 2.0 is not in the range 0<x<1.
$ summary rows.csv -t y -s s --higher-is x
    --higher-is must be positive or negative, or SCORE=negative with one of the scores s; got
    'x'
$ summary rows.csv -t y -s s --higher-is s=negative --higher-is negative
    --higher-is is given twice for 's'
$ summary rows.csv --amount m -s s --weight ead
    --weight does not go with --amount: a weight scales both, so multiply amount and exposure by
    it
$ summary rows.csv --amount m -s s -t y
    --target does not go with --amount: name one of the two
$ summary rows.csv --amount m -s s --pos-label 1
    --pos-label does not go with --amount: it names one of two classes; leave it out
$ summary rows.csv --amount m -s s --memory-limit 1GB
    --memory-limit does not go with --amount: it is for two classes; pass --resolution instead
$ summary rows.csv -t y -s s --exposure ead
    --exposure goes with --amount; name the column of the amount
$ summary cells.csv --counts --weight ead
    --weight is for rows, and --counts reads counts; leave one out
$ summary cells.csv --counts --cluster id
    --cluster is for rows, and --counts reads counts; leave one out
$ summary rows.csv -t y -s s -o nofolder/x.csv
    --output nofolder/x.csv: there is no folder nofolder
$ compare rows.csv -t y -s s -s r --metric net-benefit
    --metric net-benefit needs --threshold, such as 0.1
$ compare rows.csv -t y -s s -s r --threshold 0.1
    --threshold goes with --metric net-benefit and kappa
$ compare rows.csv -t y -s s -s r --metric recall@10
    --metric recall@10 is compared by segment: add --by, or take one of ar, auc, average-precision,
    rie, bedroc, partial-accuracy-ratio, aurc, excess-aurc, auarc, augrc, brier-score, log-loss,
    selective-risk, net-benefit, captured-response, lift
$ compare rows.csv -t y -s s -s r --segments fixed
    --segments is about a mean over segments; name their column with --by
$ compare rows.csv -t y -s s -s r --weights cases
    --weights is about a mean over segments; name their column with --by
$ compare rows.csv -t y -s s -s r --lacking 0
    --lacking is about a mean over segments; name their column with --by
$ compare rows.csv -t y -s s -s r --k 10
    --k is about a mean over segments; name their column with --by
$ compare rows.csv -t y -s s -s r --gain linear
    --gain is about a mean over segments; name their column with --by
$ compare rows.csv -t y -s s -s r --by seg --all-segments
    a mean takes every segment; leave out --all-segments
$ mean rows.csv -t y -s s
    capcurve mean needs --by, the column of the segments
$ mean rows.csv -t y -s s --by seg --all-segments
    a mean takes every segment; leave out --all-segments
$ mean rows.csv -t y -s s --by seg --memory-limit 1GB
    capcurve mean needs every score; leave out --memory-limit
$ mean rows.csv --time d --event e --horizon 9 -s s
    means over segments are of known outcomes; leave out --time and --horizon
$ mean rows.csv -t y -s s --by seg --metric recall@0
    --metric: after @ there must be a whole number of cases from 1, as in recall@10; got 'recall@0'
$ mean rows.csv -t y -s s --by seg --metric P@5 --at 0.1
    --at goes with --metric captured-response, lift, precision, specificity or false-positive-rate
$ mean rows.csv --amount m -s s --by seg --metric mrr@5
    --metric mrr@5 is for positives and negatives, not for --amount; name a --target
$ mean rows.csv -t y -s s --by seg --metric index
    --metric index is for amounts; name the --amount
$ compare rows.csv --amount m -s s -s r --by seg --metric auc
    --metric auc is for positives and negatives, not for --amount; name a --target
$ mean rows.csv -t y -s s --by seg --by y
    --by y is the target or the score; name a segment
$ compare rows.csv -t y -s s -s r --by r
    --by r is the target or the score; name a segment
$ mean rows.csv -t y -s s --by seg --threshold 0.1
    --threshold goes with --metric net-benefit and kappa
$ mean rows.csv -t y -s s --by seg --weights A=1,A=2
    --weights must be equal, cases, positives, pairs, or one weight for each segment such as
    A=0.4,B=0.6; got 'A=1,A=2'
$ mean rows.csv -t y -s s --by seg --weights A=much
    --weights must be equal, cases, positives, pairs, or one weight for each segment such as
    A=0.4,B=0.6; got 'A=much'
$ mean rows.csv -t y -s s --by seg --lacking none
    --lacking must be leave-out, raise or a number such as 0; got 'none'
$ compare rows.csv --amount m -s s -s r --metric auc
    --metric auc is for positives and negatives; with --amount give ar
$ compare cells.csv --counts -s a -s b
    a table of counts contains one score; compare needs the rows
$ compare rows.csv -t y -s s -s r --memory-limit 1GB
    compare needs all rows in memory; leave out --memory-limit
$ change before.csv after.csv -t y -s s --by y
    --by y is the target or the score; name a segment
$ change before.csv after.csv -t y -s s -s r --by seg
    change explains one score; pass one --score
$ change before.csv after.csv -t y -s s --metric lift
    --metric lift is read at a depth; add --at, such as --at 0.1
$ change before.csv after.csv -t y -s s --metric lift --at 0.1 --by seg
    --metric lift is split into ranking and prevalence, without segments; leave out --by
$ change before.csv after.csv -t y -s s --metric lift --at 0.1 --least 3
    --metric lift is split into ranking and prevalence, without segments; leave out --least
$ change before.csv after.csv -t y -s s --pd s --by seg
    --pd splits a change into portfolio and model, in place of segments; leave out --by
$ change before.csv after.csv -t y -s s --pd s --least 4
    --pd splits a change into portfolio and model, in place of segments; leave out --least
$ change before.csv after.csv -t y -s s --calibration stated --by seg
    --calibration is for PDs; add --pd with the score that is one
$ change before.csv after.csv -t y -s s --pd s --metric lift --at 0.1
    --pd splits a change into portfolio and model, in place of segments; leave out --at
$ change before.csv after.csv -t y -s s --from 3 --by seg
    --from goes with --period; name the column of the periods
$ change before.csv after.csv -t y -s s --to 3 --by seg
    --to goes with --period; name the column of the periods
$ change cells.csv --counts --period month
    --period is for rows, and --counts reads counts; leave one out
$ change before.csv after.csv --amount m -s s --by seg
    capcurve change is for positives and negatives, not for --amount; leave it out
$ stability before.csv after.csv -s s --of positives
    --of positives needs outcomes; name their column with --target
$ stability before.csv after.csv -s s -t y
    the shares of all cases need no --target; leave it out, or add --of positives or --of
    negatives
$ stability before.csv after.csv -s s --pos-label 1
    --pos-label is for outcomes; add --of positives or --of negatives
$ stability before.csv after.csv -s s -s r
    stability is for one score; pass one --score
$ stability before.csv after.csv
    name the score column with --score
$ bounds rows.csv -t y -s s --unknown-label ? --metric captured-response
    --metric captured-response is read at a depth; add --at, such as --at 0.1
$ bounds rows.csv -t y -s s --unknown-label ? --at 0.1
    --at is for --metric captured-response, lift, precision, not ar
$ bounds rows.csv -t y -s s --unknown-label ? --positives a
    --positives must be LEAST:MOST, as shares of the unknown such as 0.05:0.2 or cases such as
    10:40; got 'a'
$ bounds rows.csv -t y -s s --unknown-label ? --odds x
    --odds must be LEAST:MOST, such as 1:3; got 'x'
$ bounds rows.csv -t y -s s --unknown-label ? -s r --ordered
    --ordered is about the rates along one score, and a difference has two; use --positives, or
    pass one --score
$ bounds rows.csv -t y -s s --unknown-label ? -s r --odds 1:2
    --odds is about the rates along one score, and a difference has two; use --positives, or
    pass one --score
$ bounds rows.csv -t y -s s --unknown-label ? -s r --no-pooled
    --no-pooled is about the rates along one score, and a difference has two; use --positives,
    or pass one --score
$ bounds rows.csv -t y -s s --unknown-label ? -s r -s q
    bounds are for one score, or the difference of two; pass --score once or twice
$ bounds rows.csv -t y -s s --unknown-label ? --unknown x
    --unknown names a column of --counts; rows are unknown where --target is empty, or contains an
    --unknown-label
$ bounds cells.csv --counts --unknown-label ?
    --unknown-label is for rows, and --counts reads counts; name their column with --unknown
$ bounds rows.csv -t y -s s --unknown-label ? --level 0.4
    Invalid value for '--level': 0.4 is not in the range 0.5<x<1.
$ gains rows.csv -t y -s s --interval jeffreys --prevalence 0.2
    --interval is for the observed rates; leave out --prevalence
$ gains rows.csv -t y -s s --level 0.9
    --level is for --interval; add one, e.g. --interval jeffreys
$ gains rows.csv --amount m -s s --prevalence 0.1
    --prevalence is for positives and negatives, not for --amount; leave it out
$ gains rows.csv --amount m -s s --interval wilson
    --interval is for positives and negatives, not for --amount; leave it out
$ gains rows.csv -t y -s s --cluster id
    --cluster affects only intervals and tests, and a gains table without --interval has none;
    leave it out
$ thresholds rows.csv --amount m -s s
    this table is for positives and negatives, not for --amount; use capcurve gains --bins score
$ thresholds rows.csv -t y -s s --cluster id
    --cluster affects only intervals and tests, and a threshold table has none; leave it out
$ steps rows.csv -t y -s s --cluster id
    --cluster affects only intervals and tests, and a step table has none; leave it out
$ curve rows.csv --amount m -s s --kind roc
    --kind roc is for positives and negatives, not for --amount; choose cap, lift, local-lift,
    captured-response, lorenz
$ plot rows.csv --amount m -s s --kind roc -o p.svg
    --kind roc is for positives and negatives, not for --amount; choose cap, lorenz, lift,
    mean-amount, profit
$ curve rows.csv -t y -s s --kind nope
    Invalid value for '--kind': 'nope' is not one of 'cap', 'roc', 'lift', 'local-lift',
    'captured-response', 'precision-recall', 'risk-coverage', 'lorenz', 'ks'.
$ plot rows.csv -t y -s s --kind nope -o p.svg
    Invalid value for '--kind': 'nope' is not one of 'cap', 'roc', 'lorenz', 'lift',
    'mean-amount', 'captured-response', 'ks', 'precision-recall', 'risk-coverage',
    'score-distributions', 'profit', 'calibration', 'decision'.
$ curve rows.csv -t y -s s --of negatives
    --of is for --kind local-lift and captured-response
$ curve rows.csv --amount m -s s --of negatives
    --of is for positives and negatives, not for --amount; leave it out
$ curve rows.csv -t y -s s --kind roc --absolute
    --absolute is for --kind cap, not roc
$ curve rows.csv -t y -s s --kind roc --prevalence 0.1
    a ROC does not depend on --prevalence; leave it out
$ curve rows.csv -t y -s s --points 5 --tolerance 0.1
    --points and --tolerance both thin the curve; give one
$ curve rows.csv -t y -s s --cluster id
    --cluster affects only intervals and tests, and a curve has none; leave it out
$ plot rows.csv -t y -s s --kind lift --at 0.1 -o p.svg
    --at is for --kind cap, not lift
$ plot rows.csv -t y -s s --kind profit -o p.svg
    --kind profit needs --value and --cost
$ plot rows.csv -t y -s s --kind profit --value 3 -o p.svg
    --kind profit needs --cost
$ plot rows.csv -t y -s s --value 3 -o p.svg
    --value is for --kind profit, not cap
$ plot rows.csv -t y -s s --cost 3 -o p.svg
    --cost is for --kind profit, not cap
$ plot rows.csv -t y -s s --kind roc --prevalence 0.1 -o p.svg
    --prevalence is for --kind cap, lift, captured-response, not roc
$ plot rows.csv -t y -s s --kind mean-amount -o p.svg
    --kind mean-amount needs --amount; without one draw lift
$ plot rows.csv -t y -s s --kind lift --cluster id -o p.svg
    --cluster affects only intervals and tests, and a picture of lift has none; leave it out
$ implied rows.csv --counts -s s --pd r
    --pd needs the rows, and --counts reads counts; make the PDs the --score, or leave it out
$ implied rows.csv -t y -s s --correlation 1
    Invalid value for '--correlation': 1.0 is not in the range 0<=x<1.
$ implied rows.csv -t y -s s --cluster id
    --cluster would change nothing, since the test assumes independent rows; leave it out
$ implied rows.csv --amount m -s s
    PDs are for positives and negatives, not for --amount; name a --target
$ grades rows.csv -t y -s s -s r
    a grade scale is for one score; pass one --score
$ grades rows.csv -t y -s s --design 5:3
    --design must be a number of grades such as 7, or the fewest and the most such as 3:12; got
    '5:3'
$ grades rows.csv -t y -s s --choose best
    --choose is for several numbers of grades, as in --design 3:12
$ generalised-auc rows.csv -r lgd -e elgd --classes x
    --classes must be ecb, values or edges such as 0.1,0.5,1; got 'x'
$ generalised-auc rows.csv -r lgd -e elgd --closed right
    --closed is for edges, and --classes ecb has its own; leave it out
$ generalised-auc rows.csv -r lgd
    Missing option '--estimated' / '-e'.
$ audit tab.csv --claim ks
    --claim must be METRIC=NUMBER, such as ks=0.37 or captured@0.1=28%; got 'ks'
$ audit tab.csv --decimals x
    --decimals must be a number of decimals, or COLUMN=NUMBER; got 'x'
$ audit tab.csv --decimals 2 --decimals n=1
    --decimals must be a number of decimals, or COLUMN=NUMBER; give one number, or one for each
    column named
$ audit tab.csv --at 2
    Invalid value for '--at': 2.0 is not in the range 0<x<=1.
$ audit tab.csv tab.csv
    Got unexpected extra argument (tab.csv)
$ validate rows.csv -t y -s s --chart limits.toml
    --chart goes with --period and --initial; name them
$ validate rows.csv -t y -s s --fail-on amber
    --fail-on is about lights and alarms; add --limits, or --period and --initial
$ validate rows.csv -t y -s s --subject a
    --subject must be KEY=VALUE, such as model='SME 4.2'; got 'a'
$ validate rows.csv -t y -s s --subject a=b --subject a=c
    --subject names a key twice; give each once
$ validate rows.csv -t y -s s --challenger s
    s is named twice as a score, grade or challenger
$ validate rows.csv -t y -s s -s r
    validate takes one --score; name others with --challenger
$ validate rows.csv -t y -s grade --levels D,C,B,A --start-grade grade2 --final-grade grade2
    grade2 is named twice as a score, grade or challenger
$ validate rows.csv --amount m -s s
    the validation sheet is for positives and negatives, not for --amount; name a --target
$ validate cells.csv --counts --challenger x
    --challenger is for rows, and --counts reads counts; leave one out
$ validate cells.csv --counts --unknown
    --unknown is for rows, and --counts reads counts; leave one out
$ validate rows.csv -t y -s s --period month --memory-limit 1GB
    --period needs all rows in memory; leave out --memory-limit
$ validate rows.csv -t y -s s --challenger r --memory-limit 1GB
    --challenger needs all rows in memory; leave out --memory-limit
$ validate - -t y -s s --period month
    with --period the rows are read several times, and standard input only once; name a file
$ check rows.csv -t y -s s --min-ar 2
    --min-ar must be between -1 and 1, got 2
$ check rows.csv -t y -s s --min-index 0.1
    --min-index is for amounts, and these are positives and negatives; give --min-ar
$ check rows.csv --amount m -s s --min-auc 0.5
    --min-auc is for positives and negatives, and these are amounts; give --min-ar
$ check rows.csv -t y -s s --min-lift 3
    --min-lift must be SHARE=MINIMUM, such as 0.1=2; got '3'
$ check rows.csv -t y -s s --min-captured 0.1=3
    --min-captured must be SHARE=MINIMUM, such as 0.1=0.25, both shares; got '0.1=3'
$ check rows.csv -t y -s s --baseline bcells.csv
    --baseline and --max-drop go together; give both or neither
$ check rows.csv -t y -s s --max-psi 0.1
    --baseline and --max-psi go together; give both or neither
$ check rows.csv -t y -s s --baseline 0.45 --max-psi 0.1
    --max-psi compares the shares of grades, which a summary or a number does not give; give
    --baseline rows, or counts saved by capcurve counts
$ check rows.csv -t y -s s --by seg --baseline bcells.csv --max-psi 0.1
    --max-psi compares whole portfolios; leave out --by
$ check rows.csv -t y -s s --baseline bcells.csv --periods month --limit lim.json --seed 3
    --seed is for a new limit, and --limit gives one; leave it out
$ check rows.csv -t y -s s --drop 0.1 --min-ar 0.1
    --drop goes with --periods; name the column of the periods
$ check rows.csv -t y -s s --periods month
    --periods needs --baseline, the initial sample to compare with
$ check rows.csv -t y -s s --baseline bcells.csv --periods month --by seg
    --periods and --by do not go together; filter the rows instead
$ check rows.csv -t y -s s -s r --baseline bcells.csv --periods month
    --periods is for one score; pass one --score
$ sql --dialect duckdb --table t -t y -s s --higher-is negative
    --higher-is is for --what numbers; with cells, say it where they are read: capcurve summary
    cells.csv --counts --higher-is negative
$ sql --dialect duckdb --table t -t y -s s --levels 'A,B'
    --levels is for --what numbers; with cells, say it where they are read: capcurve summary
    cells.csv --counts --levels A,B
$ sql --dialect duckdb --table t -t y -s s --pos-label x
    --pos-label is given without --neg-label; name both, so that a third label is noticed, or pass
    --rest-negative
$ sql --dialect duckdb --table t -t y -s s --neg-label x
    --neg-label goes with --pos-label; name the label of the positives
$ sql --dialect duckdb --table t -t y -s s -s x
    a query counts one score; name one --score, and write one for each
$ sql --dialect duckdb --table t -t y -s s -o q.txt
    --output q.txt must end in .sql
$ sql --dialect duckdb --table t -t y -s s --amount x
    a query counts positives and negatives, not amounts; read the table itself with
    count_values(data=...) in Python (DuckDB, Ibis, Spark), or an export of it with capcurve
    counts --amount; amounts of a trial are counted with --treatment
$ sql --dialect duckdb --table t -t y -s s --treatment x --amount x
    --target does not go with --amount; name one of the two
$ sql --dialect duckdb --table t -t y -s s --treatment x --higher-is negative
    --higher-is is for --what numbers; with cells, say it where they are read: capcurve uplift
    cells.csv --counts --higher-is negative
$ sql --dialect duckdb --table t -t y -s s --treatment x --by x
    --by does not go with --treatment; leave it out
$ sql --dialect duckdb --table t -t y -s s --treatment x --what numbers
    --what does not go with --treatment; leave it out
$ sql --dialect duckdb --table t --time x --event e -s s --treatment x
    --time does not go with --treatment; leave it out
$ sql --dialect duckdb --table t -t y -s s --treatment x --cluster x
    --cluster does not go with --treatment; leave it out
$ sql --dialect duckdb --table t -s s --treatment x
    Missing option '--target' / '-t'.
$ sql --dialect duckdb --table t --amount y -s s --treatment x --pos-label a --neg-label b
    --pos-label does not go with --amount: it names one of two classes; leave it out
$ counts rows.csv -t y -s s --treatment x -o c.csv --by x
    --by does not go with --treatment; leave it out
$ counts rows.csv -t y -s s --treatment x -o c.csv --weight x
    --weight does not go with --treatment; leave it out
$ counts rows.csv -t y -s s --treatment x -o c.csv --memory-limit 1GB
    --memory-limit does not go with --treatment; leave it out
$ counts rows.csv --amount y -s s --treatment x -o c.csv --exposure x
    --exposure does not go with --treatment; leave it out
$ counts rows.csv -t y -s s --treated-label x -o c.csv
    --treated-label goes with --treatment; name the column of who was treated
$ uplift rows.csv -t y -s s --treatment x --propensity e --missing drop
    --missing does not go with --propensity, which takes complete rows; leave it out
$ uplift bcells.csv --counts --propensity e
    --propensity is for rows, and --counts reads counts; leave one out
$ uplift bcells.csv --counts -s a -s b
    a table of counts contains one score; pass one --score
$ uplift bcells.csv --counts --cluster x
    --cluster is for rows, and --counts reads counts; leave one out
"""
ROWS = [
    pytest.param(command, " ".join(said.split()), id=command)
    for command, said in re.findall(r"^\$ (.*)\n((?:    .*\n)+)", REFUSALS, re.MULTILINE)
]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("command", "said"), ROWS)
def test_what_does_not_go_together_is_refused_before_anything_is_read(
    tmp_path, monkeypatch, command, said
):
    monkeypatch.chdir(tmp_path)
    assert refused(*shlex.split(command)) == said
    assert not list(tmp_path.iterdir())
