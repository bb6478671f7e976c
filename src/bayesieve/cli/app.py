"""The program and its commands."""

import typer

from bayesieve import __version__
from bayesieve.cli.demo import demo
from bayesieve.cli.discretize import discretize
from bayesieve.cli.explain import explain
from bayesieve.cli.export import export
from bayesieve.cli.fit import fit
from bayesieve.cli.predict import predict
from bayesieve.cli.rank import rank
from bayesieve.cli.reproduce import reproduce

__all__ = ["app"]

app = typer.Typer(
    help="Feature selection for class probabilities: small, interpretable models from a table.", no_args_is_help=True
)
app.command()(demo)
app.command()(fit)
app.command()(predict)
app.command()(explain)
app.command()(export)
app.command()(discretize)
app.command()(rank)
app.command()(reproduce)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Feature selection for class probabilities: small, interpretable models from a table."""
